// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <google/protobuf/message.h>

namespace kaname::compute {

/// Gives the files of a specification, whose JSON lies at `spec_path`, absolute paths: one that has
/// a sha256 lies at `folder`/<sha256>; with `folder` empty, and without a sha256, its path counts
/// from the JSON's folder. Throws ValidationError for a sha256 that is none.
void locate_stored_files(google::protobuf::Message& specification, const std::string& spec_path,
                         const std::string& folder);

}  // namespace kaname::compute
