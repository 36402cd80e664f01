/* web.h - the pages, as build-aux/embed.sh made them of the files in web/.
 *
 * All are ASCII and end with a zero byte. A report is web_report_begin, the
 * facts as JSON with < > & escaped, and web_report_end. */
#ifndef WEB_H
#define WEB_H

extern const char web_report_begin[]; /* all before the facts */
extern const char web_report_end[];   /* and behind them */
extern const char web_live[];         /* the whole live page */

#endif
