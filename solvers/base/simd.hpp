// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The processor's vector instructions as functions. GCC 12 warns of registers that its own header
// leaves undefined on purpose, wherever AVX-512 functions are inlined (its bug 105593): silenced
// where the header is read, since the place of the warning is there.
#if defined(__AVX__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
