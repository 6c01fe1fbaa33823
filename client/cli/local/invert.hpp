// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client/cli/local/inversion_options.hpp"

namespace kaname::cli {

/// Inverts with the sources of a job while others are still being computed, again whenever there
/// are more, and a last time when all are there. The folder always holds the newest slip and
/// greens.h5, the dataset that it is of. Returns the exit code: not 0 when the job ended without
/// some of its sources. Throws before the job is waited for when anything but the dataset is wrong.
[[nodiscard]] int invert_job(const InvertOptions& options, const Context& context);

}  // namespace kaname::cli
