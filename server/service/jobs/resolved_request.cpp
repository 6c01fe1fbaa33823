// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/resolved_request.hpp"

#include <algorithm>
#include <fstream>

#include "proto/request/form/json.hpp"
#include "solvers/base/checksums.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kKept = 32;

[[noreturn]] void throw_not_stored(const std::string& what, const std::string& sha256) {
    throw Error(ErrorCode::NotFound,
                what + ' ' + sha256 + " is not stored any more; submit it again");
}

std::string read_text(const artifacts::ArtifactStore& artifacts, const std::string& sha256) {
    const auto size = artifacts.size(sha256);
    if (!size) {
        throw_not_stored("request", sha256);
    }
    const std::vector<std::byte> bytes = artifacts.read(sha256, 0, *size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

const request::Task* ResolvedRequest::find(const std::string& key) const {
    const auto found = place.find(key);
    return found == place.end() ? nullptr : &graph.tasks[found->second];
}

std::vector<std::string> files_of(const google::protobuf::Message& specification) {
    const std::unique_ptr<google::protobuf::Message> copy(specification.New());
    copy->CopyFrom(specification);
    std::vector<std::string> files;
    request::for_each_file(
        *copy, [&](v1::File& file, const std::string&) { files.push_back(file.sha256()); });
    return files;
}

std::vector<helpers::NamedFile> local_files(const Context& context,
                                            const google::protobuf::Message& specification) {
    std::vector<std::string> hashes = files_of(specification);
    std::ranges::sort(hashes);
    const auto repeated = std::ranges::unique(hashes);
    hashes.erase(repeated.begin(), repeated.end());
    std::vector<helpers::NamedFile> files;
    for (const std::string& sha256 : hashes) {
        files.push_back({sha256, context.artifacts.local_file(sha256)});
    }
    return files;
}

std::string FileNames::shown(std::string text) const {
    for (const auto& [path, name] : names_) {
        for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos;) {
            text.replace(at, path.size(), name);
            at += name.size();
        }
    }
    return text;
}

FileNames locate_files(const Context& context, google::protobuf::Message& specification) {
    FileNames names;
    std::vector<Violation> missing;
    request::for_each_file(specification, [&](v1::File& file, const std::string& field) {
        try {
            if (context.artifacts.exists(file.sha256())) {
                const std::string path = context.artifacts.local_file(file.sha256()).string();
                names.add(path, file.path().empty() ? "file " + file.sha256() : file.path());
                file.set_path(path);
            } else {
                missing.push_back({field, "file " + file.sha256() + " must be uploaded first"});
            }
        } catch (const Error& error) {
            missing.push_back({field + ".sha256", error.what()});
        }
    });
    if (!missing.empty()) {
        throw ValidationError(std::move(missing));
    }
    return names;
}

void RequestCache::check_stored(const std::string& sha256, const ResolvedRequest& resolved) const {
    if (!context_.artifacts.exists(sha256)) {
        throw_not_stored("request", sha256);
    }
    for (const auto& [field, file] : resolved.files) {
        if (!context_.artifacts.exists(file)) {
            throw_not_stored(field + ": file", file);
        }
    }
}

std::shared_ptr<const ResolvedRequest> RequestCache::get(const std::string& sha256) {
    std::shared_ptr<const ResolvedRequest> known;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = known_.find(sha256); found != known_.end()) {
            known = found->second;
        }
    }
    if (known) {
        check_stored(sha256, *known);
        return known;
    }
    const request::Kinds& kinds = *context_.options.kinds;
    const auto message = kinds.parse(read_text(context_.artifacts, sha256), "request " + sha256);
    auto resolved = std::make_shared<ResolvedRequest>();
    request::for_each_file(*message, [&](v1::File& file, const std::string& field) {
        resolved->files.emplace_back(field, file.sha256());
    });
    check_stored(sha256, *resolved);
    locate_files(context_, *message);
    resolved->request = kinds.of(*message).check(*message);
    resolved->graph = resolved->request->graph();
    for (const request::Task& task : resolved->graph.tasks) {
        resolved->place.emplace(task.key,
                                static_cast<std::size_t>(&task - resolved->graph.tasks.data()));
    }
    resolved->json = request::to_json(resolved->request->message());
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kKept) {
        known_.clear();
    }
    known_[sha256] = resolved;
    return resolved;
}

std::string stored_json(const google::protobuf::Message& specification) {
    const std::unique_ptr<google::protobuf::Message> copy(specification.New());
    copy->CopyFrom(specification);
    request::for_each_file(*copy, [](v1::File& file, const std::string&) { file.clear_path(); });
    return request::to_json(*copy);
}

std::string put_text(artifacts::ArtifactStore& artifacts, const std::string& text) {
    const std::string sha256 = sha256_hex(text);
    const auto upload = artifacts.begin_put(sha256, text.size());
    const auto bytes = std::as_bytes(std::span(text));
    upload->write(upload->offset(), bytes.subspan(upload->offset()));
    upload->commit();
    return sha256;
}

std::string put_file(artifacts::ArtifactStore& artifacts, const std::filesystem::path& file) {
    const std::string sha256 = sha256_file(file.string());
    const auto upload = artifacts.begin_put(sha256, std::filesystem::file_size(file));
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(upload->offset()));
    std::vector<char> chunk(1U << 20U);
    while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), in.gcount() > 0) {
        upload->write(upload->offset(), std::as_bytes(std::span(
                                            chunk.data(), static_cast<std::size_t>(in.gcount()))));
    }
    upload->commit();
    return sha256;
}

}  // namespace kaname::service
