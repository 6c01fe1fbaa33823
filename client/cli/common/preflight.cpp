// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/common/preflight.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/text.hpp"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_document.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "proto/request/inversion/load_inversion.hpp"
#include "proto/request/kinds.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::cli {

v1::Estimate preflight(const google::protobuf::Message& specification, int threads,
                       const Context& context,
                       const std::function<void(const run::Progress&)>& on_progress) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "spec.json";
    write_file(file, request::to_json(specification));
    run::VerbCall call;
    call.arguments = {"preflight",    "--spec", file.string(), "--threads", std::to_string(threads),
                      "--watch-stdin"};
    call.on_progress = on_progress;
    return verb_report<v1::Estimate>(context.compute, std::move(call));
}

v1::Estimate preflight_file(const std::string& file, const google::protobuf::Message& specification,
                            int threads, const Context& context,
                            const std::function<void(const run::Progress&)>& on_progress) {
    try {
        return preflight(specification, threads, context, on_progress);
    } catch (const ValidationError& error) {
        const std::unique_ptr<google::protobuf::Message> read(specification.New());
        const request::YamlReading yaml =
            request::scan_yaml(request::read_text_file(file), file, *read);
        throw ValidationError(request::relate_to_yaml(error.violations(), yaml));
    }
}

std::string time_text(double seconds, double low_s, double high_s) {
    return format_seconds(seconds) + ", mostly within " + format_seconds(low_s) + " to " +
           format_seconds(high_s);
}

std::string outlook(const v1::Estimate& estimate, const Reusable& reusable) {
    const std::int64_t sources = estimate.sources();
    const double share =
        static_cast<double>(std::max<std::int64_t>(0, sources - reusable.sources)) /
        static_cast<double>(std::max<std::int64_t>(1, sources));
    const double packs = std::ceil(estimate.packs() * share);
    double left_s = estimate.package_s();
    if (packs > 0.0) {
        left_s += estimate.setup_s() + packs * estimate.each_pack_s();
    }
    left_s += reusable.mesh ? 0.0 : estimate.mesh_s();
    const double spread = std::max(1.0, estimate.spread());
    return counted(sources, "source") + ", " + counted(estimate.dof(), "unknown") + ", " +
           counted(estimate.steps(), "step") + "; needs about " +
           format_bytes(estimate.solve_bytes()) + " and " +
           time_text(left_s, left_s / spread, left_s * spread) +
           (reusable.mesh ? " (the mesh has been made before)" : "");
}

namespace {

const request::Kind* kind_with_schema(const std::string& file, std::string& schema) {
    schema = request::schema_of_yaml(request::read_text_file(file), file);
    try {
        return schema.empty() ? nullptr : &request::built_in_kinds().of_schema(schema);
    } catch (const ValidationError&) {
        return nullptr;
    }
}

}  // namespace

const request::Kind* kind_of_file(const std::string& file) {
    std::string schema;
    return kind_with_schema(file, schema);
}

void refuse_no_dataset(const std::string& file, const std::string& program) {
    namespace fs = std::filesystem;
    const std::string field = "FILE: must be a dataset, ";
    if (file.ends_with(".yaml") || file.ends_with(".yml")) {
        throw Error(ErrorCode::InvalidArgument, field + "got the request '" + file + "'; `" +
                                                    program + " run " + shell_word(file) +
                                                    "` computes one");
    }
    if (fs::is_directory(file)) {
        throw Error(ErrorCode::InvalidArgument,
                    field + "got the folder '" + file +
                        "'; name a file in it, as greens.h5, or the id of a job of that name");
    }
    // A word without dot and slash may be a job's name; what reads a path tells of a missing one.
    if (file.find_first_of("./") == std::string::npos && !fs::exists(file)) {
        throw Error(ErrorCode::NotFound,
                    field + "got '" + file + "', which does not exist; one of a job comes with `" +
                        program + " download " + shell_word(file) + " --output greens.h5`");
    }
}

void refuse_inversion(const std::string& file, const std::string& program) {
    std::string schema;
    if (kind_with_schema(file, schema) == &request::inversion_kind()) {
        throw Error(ErrorCode::InvalidArgument, "schema: must be of Green's functions, got " +
                                                    schema + "; `" + program + " invert " +
                                                    shell_word(file) + "` finds slip");
    }
}

void require_inversion(const std::string& file, const std::string& program) {
    std::string schema;
    const request::Kind* kind = kind_with_schema(file, schema);
    if (kind != nullptr && kind != &request::inversion_kind()) {
        throw Error(ErrorCode::InvalidArgument,
                    "schema: must be " + request::inversion_kind().schemas().front() + ", got " +
                        schema + "; `" + program + " run " + shell_word(file) + "` computes that");
    }
}

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
        const auto message = request::built_in_kinds().parse(specification, "request");
        return request::built_in_kinds().of(*message).content_hash(*message);
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
            return "is a dataset of another request ('" +
                   (found.has_waves() ? found.waves().name() : found.name()) + "')";
        }
        const long long done = sources_done(found);
        if (done > wanted.sources_done) {
            return "holds more sources of this request (" + format_count(done) + ")";
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
