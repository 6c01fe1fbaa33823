// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/dataset_identity.hpp"

#include <algorithm>

#include "client/cli/format.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "proto/spec/kinds.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::cli {
namespace {

std::string specification_text(const v1::DatasetReport& found) {
    return found.has_waves() ? found.waves().specification()
                             : report::to_json(found.provenance().specification());
}

long long sources_done(const v1::DatasetReport& found) {
    return found.has_waves() ? std::ranges::count(found.waves().sources(), "done",
                                                  &v1::WavesReport::Source::status)
                             : static_cast<long long>(found.status_counts().done());
}

}  // namespace

std::string content_hash_of(const std::string& specification) {
    try {
        const auto message = spec::built_in_kinds().parse(specification, "specification");
        return spec::built_in_kinds().of(*message).content_hash(*message);
    } catch (const Error&) {
        return "";
    }
}

OutputPlace::Judge same_dataset(DatasetIdentity wanted, const run::ComputeRunner& compute) {
    return [wanted = std::move(wanted), &compute](const std::filesystem::path& path) {
        v1::DatasetReport found;
        try {
            found = verb_report<v1::DatasetReport>(compute, {"show", "--dataset", path.string()});
        } catch (const report::BrokenReport&) {
            throw;
        } catch (const Error& error) {
            // A missing program or file is no evidence that the file is not a dataset.
            if (error.code() == ErrorCode::Unavailable || error.code() == ErrorCode::NotFound) {
                throw;
            }
            return std::string("is no dataset");
        }
        const std::string hash = content_hash_of(specification_text(found));
        if (hash.empty() || hash != wanted.content_hash) {
            return "is a dataset of another specification ('" +
                   (found.has_waves() ? found.waves().name() : found.name()) + "')";
        }
        const long long done = sources_done(found);
        if (done > wanted.sources_done) {
            return "holds more sources of this specification (" + format_count(done) + ")";
        }
        return std::string();
    };
}

OutputPlace::Judge describes(const std::filesystem::path& data_file) {
    return [name = data_file.filename().string()](const std::filesystem::path& path) {
        const std::string text = read_file_if_any(path);
        const bool ours =
            text.find("<Xdmf") != std::string::npos && text.find(name + ":/") != std::string::npos;
        return std::string(ours ? "" : "does not describe " + name);
    };
}

}  // namespace kaname::cli
