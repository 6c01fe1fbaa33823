// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "server/service/dataset_maker.hpp"
#include "solvers/base/fd.hpp"

namespace kaname::service {

/// A file that somebody may have, open, with its place among the downloads: that is given back when
/// this ends.
struct Download {
    Fd file;
    std::uint64_t bytes = 0;
    std::string sha256;
    std::string name;       ///< of the file, for who stores it
    bool is_final = false;  ///< the same request will always have the same bytes
    Limits::Place place;
};

/// Whole files for transports that send them by themselves. Who calls is known and may read; what
/// may be read, limits and errors are those of GetDataset and ReadArtifact.
class Downloads {
public:
    struct Caller {
        auth::Principal principal;
        std::string connection;     ///< for Limits
        helpers::Caller gone = {};  ///< whether it has left
    };

    Downloads(Context& context, DatasetMaker& datasets) : context_(context), datasets_(datasets) {}

    /// The dataset of a job, or with `allow_partial` one of what is done. With `verify` all of it
    /// is read first, and set aside when it is damaged (DataLoss). Throws NotReady, NotFound.
    [[nodiscard]] Download dataset(const std::string& job_id, bool allow_partial, bool verify,
                                   const Caller& caller);
    [[nodiscard]] Download artifact(const std::string& sha256, bool verify, const Caller& caller);

private:
    [[nodiscard]] Download open(const std::string& sha256, bool verify);

    Context& context_;
    DatasetMaker& datasets_;
};

}  // namespace kaname::service
