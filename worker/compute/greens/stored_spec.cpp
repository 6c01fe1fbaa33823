// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/greens/stored_spec.hpp"

#include "proto/spec/form/text.hpp"
#include "worker/compute/stored_files.hpp"

namespace kaname::compute {

spec::LoadedSpec load_stored_spec(const std::string& path, const std::string& files) {
    v1::GreensBatch batch = spec::parse_json(spec::read_text_file(path), "file '" + path + "'");
    locate_stored_files(batch, path, files);
    return spec::load_batch(std::move(batch));
}

}  // namespace kaname::compute
