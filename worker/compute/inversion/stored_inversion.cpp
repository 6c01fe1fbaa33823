// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/inversion/stored_inversion.hpp"

#include "proto/spec/form/json.hpp"
#include "proto/spec/form/text.hpp"
#include "worker/compute/stored_files.hpp"

namespace kaname::compute {

spec::LoadedInversion load_stored_inversion(const std::string& path, const std::string& files) {
    v1::Inversion inversion;
    spec::from_json(spec::read_text_file(path), "file '" + path + "'", inversion);
    locate_stored_files(inversion, path, files);
    return spec::check_inversion(std::move(inversion));
}

}  // namespace kaname::compute
