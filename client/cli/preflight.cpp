// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/preflight.hpp"

#include "solvers/base/files.hpp"

namespace kaname::cli {

std::string preflight(const spec::LoadedSpec& spec, int threads, const Context& context,
                      const std::function<void(const channel::Progress&)>& on_progress) {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "spec.json";
    write_file(file, spec::to_json(spec.batch));
    return context.compute
        .run({.arguments = {"preflight", "--spec", file.string(), "--threads",
                            std::to_string(threads), "--watch-stdin"},
              .ranks = 1,
              .log = {},
              .on_progress = on_progress})
        .json;
}

}  // namespace kaname::cli
