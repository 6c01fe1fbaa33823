/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KANAME_ANSWER_H
#define KANAME_ANSWER_H

#include <stddef.h>

/* libkaname_answer.so: the motion for other rheologies than those that a dataset was solved with,
 * from the reduced models that a dataset with ranges of viscosity keeps (docs/user/python.md,
 * docs/theory/viscoelastic_time.md). A dataset is read once, epochs are prepared once, and each
 * answer after that is small dense algebra.
 *
 * Calls that can fail take a kaname_answer_error, which may be NULL; a call that fails leaves code
 * and message there and the caller's arrays in any state. Datasets and plans do not change after
 * they were made: several threads may answer from one at the same time. Reading a file
 * (kaname_answer_open) calls HDF5, which is not for several threads at a time. Answers for several
 * rheologies are shared out over OpenMP's threads. */

#ifdef __cplusplus
extern "C" {
#endif

#define KANAME_ANSWER_INTERFACE 1

typedef struct kaname_answer_dataset kaname_answer_dataset;
typedef struct kaname_answer_plan kaname_answer_plan;

typedef struct {
    char code[32];      /* "InvalidArgument", "NotFound", ...: as `kaname --json` has them */
    char message[2016]; /* one sentence for people, UTF-8, ends with 0 */
} kaname_answer_error;

enum {
    KANAME_ANSWER_SOURCES = 0,
    KANAME_ANSWER_STATIONS = 1,
    KANAME_ANSWER_EPOCHS = 2,
    KANAME_ANSWER_VISCOSITIES = 3
};

/* Returns KANAME_ANSWER_INTERFACE of the library. */
int kaname_answer_interface(void);

/* Reads a greens.h5 whose viscosities have ranges. Returns NULL where that fails. */
kaname_answer_dataset* kaname_answer_open(const char* path, kaname_answer_error* error);
/* Releases it; plans made of it are to be released before. NULL is let pass. */
void kaname_answer_close(kaname_answer_dataset* dataset);

/* Returns the length of an axis, 0 of an unknown one. */
size_t kaname_answer_count(const kaname_answer_dataset* dataset, int axis);
/* Returns the id of a source or station, or the name of a viscosity; NULL where there is none. */
const char* kaname_answer_name(const kaname_answer_dataset* dataset, int axis, size_t index);
/* Writes the dataset's epochs [epochs], seconds since the slip. */
void kaname_answer_epochs(const kaname_answer_dataset* dataset, double* epochs_s);
/* Writes from, to and reference of each viscosity [viscosities][3] in Pa s. */
void kaname_answer_ranges(const kaname_answer_dataset* dataset, double* ranges_pa_s);

/* Prepares answers at epochs_s [n_epochs], ascending, seconds since the slip, under the dataset's
 * slip history; NULL: the dataset's epochs. The plan borrows the dataset. Returns NULL where that
 * fails. */
kaname_answer_plan* kaname_answer_prepare(const kaname_answer_dataset* dataset,
                                          const double* epochs_s, size_t n_epochs,
                                          kaname_answer_error* error);
void kaname_answer_release(kaname_answer_plan* plan);

/* Answers for rheologies. slip_m [sources]: the motion is summed over all sources with it; NULL: it
 * is that of each source, per metre of slip. names [n_numbers], values [n_rheologies][n_numbers]:
 * viscosities in Pa s, ratios of moduli; what is not named is the reference's.
 * motion [n_rheologies][epochs][stations][3] where slip is summed, else
 * [n_rheologies][sources][epochs][stations][3]: east, north, up in m, NaN of a missing source.
 * certified [n_rheologies], or NULL: the bound of the error of the worst source over the largest
 * change of its motion, which takes about as long as the answer; without it a body other than the
 * request's is not checked for how well the model answers for it. Returns 0, or 1 where that
 * fails. */
int kaname_answer(const kaname_answer_plan* plan, const double* slip_m, size_t n_rheologies,
                  size_t n_numbers, const char* const* names, const double* values, double* motion,
                  double* certified, kaname_answer_error* error);

#ifdef __cplusplus
}
#endif

#endif
