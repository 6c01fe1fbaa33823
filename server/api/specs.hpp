// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "proto/spec/load.hpp"
#include "proto/spec/plan.hpp"
#include "server/api/context.hpp"

namespace kaname::api {

/// A stored specification with its files at paths of this server, ready for kaname-compute.
struct ResolvedSpec {
    spec::LoadedSpec loaded;
    spec::Plan plan;
    std::string json;  ///< for kaname-compute on this machine
};

/// Sets the path of every file to its place in the artifact store. Throws ValidationError naming
/// files that were not uploaded.
void locate_files(const Context& context, v1::GreensBatch& batch);

/// Specifications by the hash of their stored JSON; the last few are kept.
class Specs {
public:
    explicit Specs(const Context& context) : context_(context) {}

    /// Throws NotFound when it is not stored.
    [[nodiscard]] std::shared_ptr<const ResolvedSpec> get(const std::string& sha256);

private:
    const Context& context_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const ResolvedSpec>> known_;
};

/// The JSON that is stored: files by their hash alone.
[[nodiscard]] std::string stored_json(v1::GreensBatch batch);
/// Stores a text as an artifact; returns its hash.
std::string put_text(artifacts::ArtifactStore& artifacts, const std::string& text);
/// Stores a file as an artifact; returns its hash.
std::string put_file(artifacts::ArtifactStore& artifacts, const std::filesystem::path& file);

}  // namespace kaname::api
