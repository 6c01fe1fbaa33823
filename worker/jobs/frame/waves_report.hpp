// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include <google/protobuf/message.h>

#include "proto/kaname/v1/voxel_waves.pb.h"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "worker/jobs/frame/reporter.hpp"

namespace kaname::compute {

/// Reports the contents of a file of seismograms, with `text` for people.
[[nodiscard]] v1::WavesReport report_of(const io::SeismogramDataset& dataset,
                                        const std::string& file);

/// Writes the index of a downloaded campaign from its record, a v1::CampaignIndex as JSON. Files of
/// the record count from the index's folder. Throws NotFound, InvalidArgument.
int campaign_index(const std::string& record, const std::string& out, Reporter& reporter);

/// Gives the files of a request, whose JSON lies at `request_path`, absolute paths: one that has
/// a sha256 lies at `files`/<sha256>, or where the list `files` names it, a line each of SHA-256,
/// tab and path; with `files` empty, and without a sha256, its path counts from the JSON's folder.
/// Throws ValidationError for a sha256 that is none.
void locate_stored_files(google::protobuf::Message& specification, const std::string& request_path,
                         const std::string& files);

}  // namespace kaname::compute
