/*
 * setting.c - what may be set anew of a filter that runs.
 *
 * Between windows only: the records of one are judged by one rule, and their
 * strings are counted or they are not.
 */
#include <string.h>

#include "filter.h"

static int
may_change(const char *name)
{
    return strcmp(name, "fpr") == 0 || strcmp(name, "freeze") == 0 ||
           strcmp(name, "threshold") == 0;
}

prae_status
prae_filter_set(prae_filter *filter, const char *name, const char *value)
{
    char why[sizeof filter->errmsg];

    if (name == NULL || value == NULL)
        return PRAE_EINVAL;
    prae_status status = pri_filter_may_take(filter);
    if (status != PRAE_OK)
        return status;
    if (!may_change(name))
        return pri_filter_fail(filter, PRAE_EINVAL,
                               "%s cannot be changed any more: fpr, threshold "
                               "and freeze can",
                               name);
    if (filter->window.slot_count > 0)
        return pri_filter_fail(filter, PRAE_EINVAL,
                               "records are left to be judged");
    prae_params params = filter->params;
    status = prae_params_set(&params, name, value, why, sizeof why);
    if (status == PRAE_OK)
        status = prae_params_check(&params, why, sizeof why);
    if (status != PRAE_OK)
        return pri_filter_fail(filter, status, "%s", why);
    if (params.freeze != filter->params.freeze &&
        (filter->is_front || !filter->learned))
        return pri_filter_fail(filter, PRAE_EINVAL,
                               filter->is_front
                                   ? "a front never learns"
                                   : "nothing is learned yet to judge by");
    filter->params.fpr = params.fpr;
    filter->params.threshold = params.threshold;
    filter->params.freeze = params.freeze;
    if (filter->learned)
        pri_learner_set_rule(&filter->learner, &params);
    return PRAE_OK;
}
