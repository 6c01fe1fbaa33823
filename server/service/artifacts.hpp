// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "server/service/answers.hpp"
#include "server/service/dataset_maker.hpp"
#include "server/service/file_part.hpp"
#include "server/service/streams.hpp"

namespace kaname::service {

/// Files by hash, and blocks of datasets.
class Artifacts {
public:
    Artifacts(Context& context, DatasetMaker& datasets) : context_(context), datasets_(datasets) {}

    void get_upload(const v1::GetUploadRequest& request, v1::Upload& reply);
    /// Counts against the caller's quota of bytes.
    void put(const Read<v1::PutRequest>& read, const auth::Principal& caller, v1::Artifact& reply);
    void get_artifact(const v1::GetArtifactRequest& request, v1::Artifact& reply);
    [[nodiscard]] Answers<FilePart> read_artifact(const v1::ReadArtifactRequest& request);
    [[nodiscard]] Answers<v1::ReadSliceResponse> read_slice(v1::ReadSliceRequest request,
                                                            helpers::Caller gone);

private:
    Context& context_;
    DatasetMaker& datasets_;
};

}  // namespace kaname::service
