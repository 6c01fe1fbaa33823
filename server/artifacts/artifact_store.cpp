// SPDX-License-Identifier: BSD-3-Clause
#include "server/artifacts/artifact_store.hpp"

#include <algorithm>

#include "server/artifacts/rules.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::artifacts {

std::vector<std::byte> ArtifactStore::read(const std::string& sha256, std::uint64_t offset,
                                           std::uint64_t limit) const {
    const std::unique_ptr<Artifact> artifact = open(sha256);
    check_read_offset(sha256, offset, artifact->size());
    std::vector<std::byte> bytes(std::min(limit, artifact->size() - offset));
    bytes.resize(artifact->read(offset, bytes));
    return bytes;
}

void ArtifactStore::verify(const std::string& sha256) const {
    const std::unique_ptr<Artifact> artifact = open(sha256);
    const std::string found = content_hash(*artifact);
    if (found != sha256) {
        throw Error(ErrorCode::DataLoss,
                    "artifact " + sha256 + " now has the content hash " + found);
    }
}

void ArtifactStore::verify_or_set_aside(const std::string& sha256) {
    try {
        verify(sha256);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::DataLoss) {
            throw;
        }
        set_aside(sha256);
        throw Error(ErrorCode::DataLoss, std::string(error.what()) +
                                             ": it was damaged on the server's disk and has been "
                                             "set aside; retry the job to compute it again");
    }
}

}  // namespace kaname::artifacts
