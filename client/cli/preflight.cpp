// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/preflight.hpp"

#include "client/cli/verb_report.hpp"
#include "proto/spec/form/json.hpp"
#include "solvers/base/files.hpp"

namespace kaname::cli {

v1::Estimate preflight(const google::protobuf::Message& specification, int threads,
                       const Context& context,
                       const std::function<void(const run::Progress&)>& on_progress) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "spec.json";
    write_file(file, spec::to_json(specification));
    run::VerbCall call;
    call.arguments = {"preflight",    "--spec", file.string(), "--threads", std::to_string(threads),
                      "--watch-stdin"};
    call.on_progress = on_progress;
    return verb_report<v1::Estimate>(context.compute, std::move(call));
}

}  // namespace kaname::cli
