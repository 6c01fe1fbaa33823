// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "client/cli/output_place.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::cli {

/// Returns the content hash of a specification in JSON; empty when this version cannot read it.
[[nodiscard]] std::string content_hash_of(const std::string& specification);

/// DatasetIdentity identifies the specification of the dataset that a command will write.
struct DatasetIdentity {
    std::string content_hash;    ///< spec::content_hash of its specification; empty: not known
    long long sources_done = 0;  ///< done sources that it will hold
};

/// Finds a file to be the same dataset when it answers the same specification and does not hold
/// more sources. Reads it with `compute`, which outlives the judge.
[[nodiscard]] OutputPlace::Judge same_dataset(DatasetIdentity wanted,
                                              const run::ComputeRunner& compute);

/// Finds Xdmf to be the same when it describes the file of this name.
[[nodiscard]] OutputPlace::Judge describes(const std::filesystem::path& data_file);

}  // namespace kaname::cli
