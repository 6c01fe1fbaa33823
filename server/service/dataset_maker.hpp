// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "proto/kaname/v1/job.pb.h"
#include "server/service/partial_datasets.hpp"
#include "server/service/specs.hpp"
#include "server/service/views.hpp"

namespace kaname::service {

/// Datasets of jobs: those that workers packaged, and partial ones made on demand.
class DatasetMaker {
public:
    DatasetMaker(Context& context, Specs& specs)
        : context_(context), specs_(specs), partial_(context) {}

    /// The stored dataset of an ended job, else one of the sources that are done. Throws NotReady
    /// when there is none and `allow_partial` is not given, or no source is done.
    v1::Dataset get(const std::string& job_id, bool allow_partial,
                    const helpers::Caller& gone = {});

    /// Values of some sources of a job; these must be done. Sources whose result is lost or cannot
    /// be read are left out.
    helpers::Block read(const store::Job& job, const std::vector<store::JobItem>& sources);

private:
    /// Makes a dataset of the sources that are done and returns its hash.
    [[nodiscard]] std::string make_partial(const store::Job& job, const helpers::Caller& gone);
    [[nodiscard]] std::vector<helpers::NamedFile> files_of(
        const std::vector<store::JobItem>& sources) const;
    /// Returns the files that the dataset needs beside its sources. Throws NotReady.
    [[nodiscard]] std::vector<helpers::NamedFile> needs_of(const ResolvedSpec& spec) const;
    [[nodiscard]] std::shared_ptr<const ResolvedSpec> spec_of(const store::Job& job);

    Context& context_;
    Specs& specs_;
    PartialDatasets partial_;
    std::atomic<int> n_made_ = 0;
};

}  // namespace kaname::service
