// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "proto/kaname/v1/datasets_service.pb.h"
#include "server/helpers/compute.hpp"
#include "server/service/datasets/dataset_keeper.hpp"
#include "server/service/stream/calls.hpp"
#include "solvers/base/files.hpp"

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

/// Datasets of jobs.
class Datasets {
public:
    Datasets(Context& context, DatasetMaker& datasets, DatasetKeeper& keeper)
        : context_(context), datasets_(datasets), keeper_(keeper) {}

    void list_datasets(const v1::ListDatasetsRequest& request, v1::ListDatasetsResponse& reply);
    void get_dataset(const v1::GetDatasetRequest& request, v1::Dataset& reply,
                     const helpers::Caller& gone = {});
    void update_dataset(const v1::UpdateDatasetRequest& request, const auth::Principal& caller,
                        v1::Dataset& reply);
    void delete_dataset(const v1::DeleteDatasetRequest& request, const auth::Principal& caller,
                        v1::Dataset& reply);
    /// Ends early, between two datasets, when the caller is gone.
    void retain_datasets(const v1::RetainDatasetsRequest& request, const auth::Principal& caller,
                         v1::RetainDatasetsResponse& reply, const helpers::Caller& gone = {});

private:
    Context& context_;
    DatasetMaker& datasets_;
    DatasetKeeper& keeper_;
};

}  // namespace kaname::service
