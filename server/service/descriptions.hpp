// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "server/helpers/describer.hpp"
#include "server/service/downloads.hpp"

namespace kaname::service {

/// Holds a helper's description of a file, as JSON. The same file always has the same description.
struct Description {
    std::string json;
    std::string sha256;     ///< of the file
    bool is_final = false;  ///< false: the job may have another file later
};

/// Describes the files of jobs without sending them: maps and solves of datasets, reports of
/// meshes. Descriptions of the last files are kept. Safe from any thread.
class Descriptions {
public:
    /// All of them outlive this.
    Descriptions(store::Store& store, artifacts::ArtifactStore& artifacts, Downloads& downloads,
                 helpers::Describer& describer)
        : store_(store), artifacts_(artifacts), downloads_(downloads), describer_(describer) {}

    /// By `verb` (and what it takes more) of kaname-compute, of a job's dataset; as
    /// Downloads::dataset.
    [[nodiscard]] Description dataset(const std::string& verb,
                                      const std::vector<std::string>& arguments,
                                      const std::string& job_id, bool allow_partial,
                                      const Downloads::Caller& caller);
    /// kaname.v1.DatasetMap.
    [[nodiscard]] Description map(const std::string& job_id, bool allow_partial,
                                  const Downloads::Caller& caller);
    /// kaname.v1.MeshReport. Throws NotFound where the job has no mesh, or has it no more;
    /// NotReady.
    [[nodiscard]] Description mesh(const std::string& job_id, const Downloads::Caller& caller);

private:
    struct Kept {
        std::string key, json;
    };
    [[nodiscard]] std::string describe(const std::vector<std::string>& arguments,
                                       const std::string& sha256, const Downloads::Caller& caller);

    store::Store& store_;
    artifacts::ArtifactStore& artifacts_;
    Downloads& downloads_;
    helpers::Describer& describer_;
    std::mutex mutex_;
    std::list<Kept> kept_;  ///< the last used first
    std::size_t bytes_ = 0;
};

}  // namespace kaname::service
