// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/wanted_inversion.hpp"

#include "solvers/base/error.hpp"

namespace kaname::cli {

bool is_said(const InvertOptions& options) {
    const bool said = options.file.empty();
    const bool data = !options.said.data.empty();
    const bool greens = !options.said.greens.empty() || !options.job.empty();
    if (said ? !data && !greens : data) {
        throw Error(ErrorCode::InvalidArgument,
                    "invert: must have FILE, or --greens and --data, one of them");
    }
    if (!options.said.greens.empty() && !options.job.empty()) {
        throw Error(ErrorCode::InvalidArgument, "invert: must have --greens or --job, one of them");
    }
    if (said && !(data && greens)) {
        throw Error(ErrorCode::InvalidArgument,
                    std::string("invert: must have both --greens and --data, has no ") +
                        (data ? "--greens" : "--data"));
    }
    return said;
}

WantedInversion wanted_inversion(const InvertOptions& options,
                                 const std::filesystem::path& greens) {
    WantedInversion wanted;
    InversionOptions said = options.said;
    said.greens = greens.empty() ? said.greens : greens.string();
    const bool by_options = options.file.empty();
    wanted.spec = by_options ? spec::check_inversion(inversion_of(said))
                             : spec::load_inversion(options.file, said.greens);
    wanted.folder = options.output.empty() ? wanted.spec.inversion.name() : options.output;
    if (by_options) {
        wanted.yaml = yaml_of(inversion_of(said), wanted.folder);
    }
    return wanted;
}

}  // namespace kaname::cli
