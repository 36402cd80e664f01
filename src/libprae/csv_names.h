/*
 * csv_names.h - the names of a CSV's columns.
 */
#ifndef PRI_CSV_NAMES_H
#define PRI_CSV_NAMES_H

#include "codec.h"

/*
 * Makes codec->names of the texts in codec->record, the header's cells. A
 * cell without a name is called f and its place from 0; a name that was
 * there before gets _2, _3 and so on, the first that is free. PRAE_OK or
 * PRAE_ENOMEM.
 */
prae_status pri_csv_names_make(struct codec *codec);

/* Gives FIELD the name of its column. */
void pri_csv_name(const struct codec *codec, struct field *field);

#endif
