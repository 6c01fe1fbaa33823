// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "server/artifacts/artifact_store.hpp"

namespace kaname::artifacts::memory {

/// Artifacts in this process' memory, for tests; local_file writes copies. Without
/// StoreOptions::free_bytes, space is unlimited. Uploads may outlive the store.
class MemoryStore final : public ArtifactStore {
public:
    explicit MemoryStore(StoreOptions options = {});

    std::unique_ptr<Upload> begin_put(const std::string& sha256, std::uint64_t bytes) override;
    std::uint64_t look_up(const std::string& sha256, std::uint64_t bytes) override;
    std::unique_ptr<Artifact> open(const std::string& sha256) const override;
    std::filesystem::path local_file(const std::string& sha256) const override;
    std::optional<std::uint64_t> size(const std::string& sha256) const override;
    bool remove(const std::string& sha256) override;
    bool remove_if_idle(const std::string& sha256, TimePoint since) override;
    std::vector<ArtifactInfo> list() const override;
    std::size_t expire_partials() override;

    struct State;

private:
    std::shared_ptr<State> state_;  // shared with the uploads, which may outlive the store
};

}  // namespace kaname::artifacts::memory
