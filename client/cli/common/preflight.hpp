// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include <google/protobuf/message.h>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/output_place.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "proto/request/form/request.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::cli {

/// Everything about a request that can be known before it is computed. Throws ValidationError
/// with every broken rule that needs geometry, memory or time. `threads` is what the time estimate
/// is for; 0: all cores.
[[nodiscard]] v1::Estimate preflight(
    const google::protobuf::Message& specification, int threads, const Context& context,
    const std::function<void(const run::Progress&)>& on_progress = {});
/// As preflight(), of the request in the YAML file `file`, whose lines broken rules name.
[[nodiscard]] v1::Estimate preflight_file(
    const std::string& file, const google::protobuf::Message& specification, int threads,
    const Context& context, const std::function<void(const run::Progress&)>& on_progress = {});

/// Reusable holds the results that a run need not compute again.
struct Reusable {
    bool mesh = false;
    std::int64_t sources = 0;
};

/// "1:40, mostly within 1:10 to 2:20"
[[nodiscard]] std::string time_text(double seconds, double low_s, double high_s);

/// Returns one line on the size of a run, its memory and the time that is left.
[[nodiscard]] std::string outlook(const v1::Estimate& estimate, const Reusable& reusable);

/// Throws where a file of results cannot be meant: a request, a folder, or the name of a job, for
/// which `program` has other commands.
void refuse_no_dataset(const std::string& file, const std::string& program);

/// The kind of a request in YAML or JSON; null where its schema is absent or not known.
[[nodiscard]] const request::Kind* kind_of_file(const std::string& file);

/// Throws InvalidArgument when the request is an inversion: that has a command of its own,
/// `program` invert.
void refuse_inversion(const std::string& file, const std::string& program);

/// Throws InvalidArgument when the request says to be of another kind that is known:
/// `program` run and submit are for those.
void require_inversion(const std::string& file, const std::string& program);

/// Returns the content hash of a request in JSON; empty when this version cannot read it.
[[nodiscard]] std::string content_hash_of(const std::string& specification);

/// DatasetIdentity identifies the request of the dataset that a command will write.
struct DatasetIdentity {
    std::string content_hash;    ///< request::content_hash of its request; empty: not known
    long long sources_done = 0;  ///< done sources that it will hold
};

/// Finds a file to be the same dataset when it answers the same request and does not hold
/// more sources. Reads it with `compute`, which outlives the judge.
[[nodiscard]] OutputPlace::Judge same_dataset(DatasetIdentity wanted,
                                              const run::ComputeRunner& compute);

/// Finds Xdmf to be the same when it describes the file of this name.
[[nodiscard]] OutputPlace::Judge describes(const std::filesystem::path& data_file);

}  // namespace kaname::cli
