// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/dataset_maker.hpp"

#include <algorithm>
#include <iterator>

#include "solvers/base/sha256.hpp"

namespace kaname::service {
namespace fs = std::filesystem;
namespace {

/// A file that goes when it is no longer needed.
class ScratchFile {
public:
    explicit ScratchFile(fs::path path) : path_(std::move(path)) {
        fs::create_directories(path_.parent_path());
    }
    ~ScratchFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// Adds the content hash and the file name that the specification of a job gives its dataset.
void describe(const spec::Kinds& kinds, const store::Job& job, v1::Dataset& dataset) {
    const auto message = kinds.parse(job.spec, "specification of job " + job.job_id);
    const spec::Kind& kind = kinds.of(*message);
    dataset.set_content_hash(kind.content_hash(*message));
    dataset.set_file(kind.result_file());
}

}  // namespace

std::shared_ptr<const ResolvedSpec> DatasetMaker::spec_of(const store::Job& job) {
    return specs_.get(put_text(context_.artifacts, job.spec));
}

std::vector<helpers::NamedFile> DatasetMaker::files_of(
    const std::vector<store::JobItem>& sources) const {
    std::vector<std::string> keys;
    for (const store::JobItem& source : sources) {
        keys.push_back(source.content_key);
    }
    std::vector<helpers::NamedFile> files;
    const auto found = context_.store.find_artifacts(keys);
    for (std::size_t k = 0; k < sources.size(); ++k) {
        if (found[k] && context_.artifacts.exists(found[k]->sha256)) {
            files.push_back({sources[k].label, context_.artifacts.local_file(found[k]->sha256)});
        }
    }
    return files;
}

std::vector<helpers::NamedFile> DatasetMaker::needs_of(const ResolvedSpec& spec) const {
    std::vector<helpers::NamedFile> files;
    for (const std::string& key : spec.graph.tasks.back().needs) {
        const std::string& label = spec.find(key)->label;
        const auto found = context_.store.find_artifact(key);
        if (!found || !context_.artifacts.exists(found->sha256)) {
            throw Error(ErrorCode::NotReady, "the " + label + " of this job is not there yet");
        }
        files.push_back({label, context_.artifacts.local_file(found->sha256)});
    }
    return files;
}

std::string DatasetMaker::make_partial(const store::Job& job, const helpers::Caller& gone) {
    std::vector<store::JobItem> done;
    for_pages_of_items(context_.store, job.job_id, [&](std::vector<store::JobItem>& items) {
        for (store::JobItem& item : items) {
            if (item.source && item.state == store::ItemState::Done) {
                done.push_back(std::move(item));
            }
        }
    });
    const auto spec = spec_of(job);
    const ScratchFile file(context_.options.scratch /
                           ("partial" + std::to_string(++n_made_) + ".h5"));
    std::vector<helpers::NamedFile> inputs = needs_of(*spec);
    std::ranges::move(files_of(done), std::back_inserter(inputs));
    context_.compute.gather(spec->graph.tasks.back().verb, spec->json, inputs, file.path(), gone);
    return put_file(context_.artifacts, file.path());
}

v1::Dataset DatasetMaker::get(const std::string& job_id, bool allow_partial,
                              const helpers::Caller& gone) {
    const store::Job job = context_.store.get_job(job_id);
    if (auto dataset = dataset_of(context_, job)) {
        describe(*context_.options.kinds, job, *dataset);
        return *dataset;
    }
    const std::string state(to_string(job.state));
    if (job.n_sources == 0) {
        throw Error(ErrorCode::NotReady, "job " + job_id + " is " + state + " and has no result");
    }
    if (!allow_partial) {
        throw Error(ErrorCode::NotReady, "job " + job_id + " is " + state + " with " +
                                             std::to_string(job.n_sources_done) + " of " +
                                             std::to_string(job.n_sources) +
                                             " sources done and has no dataset yet; ask for a "
                                             "partial one (download --partial) to get those");
    }
    if (job.n_sources_done == 0) {
        throw Error(ErrorCode::NotReady,
                    "job " + job_id + " is " + state + " and none of its sources is done yet");
    }
    const std::string sha256 = partial_.get(
        job_id, job.n_sources_done, [&] { return make_partial(job, gone); }, gone);
    const auto bytes = context_.artifacts.size(sha256);
    if (!bytes) {
        throw Error(ErrorCode::Unavailable, "the partial dataset was removed; ask again");
    }
    v1::Dataset dataset;
    dataset.set_name("datasets/" + job_id);
    dataset.set_job("jobs/" + job_id);
    dataset.set_title(job.name);
    dataset.set_sha256(sha256);
    dataset.set_bytes(static_cast<std::int64_t>(*bytes));
    dataset.set_sources(job.n_sources);
    dataset.set_sources_done(job.n_sources_done);
    dataset.set_created_s(context_.store.now_s());
    describe(*context_.options.kinds, job, dataset);
    return dataset;
}

helpers::Block DatasetMaker::read(const store::Job& job,
                                  const std::vector<store::JobItem>& sources) {
    const auto files = files_of(sources);
    if (files.empty()) {
        return {};
    }
    const auto spec = spec_of(job);
    return context_.compute.read(spec->json, needs_of(*spec), files);
}

}  // namespace kaname::service
