// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "proto/request/form/json.hpp"
#include "proto/request/form/request.hpp"
#include "server/service/context.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service {

/// A stored request with its files at paths of this server, ready for kaname-compute.
struct ResolvedRequest {
    std::unique_ptr<const request::Request> request;
    request::TaskGraph graph;
    std::map<std::string, std::size_t> place;  ///< of each task in the graph, by its key
    std::string json;                          ///< request for kaname-compute here
    std::vector<std::pair<std::string, std::string>> files;  ///< field and hash of each

    /// Null when the graph has no task of this key.
    [[nodiscard]] const request::Task* find(const std::string& key) const;
};

/// Returns the files of a request that are stored, by their hashes.
[[nodiscard]] std::vector<helpers::NamedFile> local_files(
    const Context& context, const google::protobuf::Message& specification);

/// Hashes of the files that a request names.
[[nodiscard]] std::vector<std::string> files_of(const google::protobuf::Message& specification);

/// Maps the paths of a request's files on this server to the names that users call them.
class FileNames {
public:
    void add(const std::string& path, const std::string& name) { names_[path] = name; }
    /// `text` with names in place of paths.
    [[nodiscard]] std::string shown(std::string text) const;
    /// Returns the result of `ask`; its errors have names in place of paths.
    template <class Ask>
    auto in_errors(const Ask& ask) const {
        try {
            return ask();
        } catch (const ValidationError& error) {
            std::vector<Violation> violations = error.violations();
            for (Violation& violation : violations) {
                violation.field = shown(std::move(violation.field));
                violation.message = shown(std::move(violation.message));
            }
            throw ValidationError(std::move(violations));
        } catch (const Error& error) {
            throw Error(error.code(), shown(error.what()));
        }
    }

private:
    std::map<std::string, std::string> names_;
};

/// Sets the path of every file to its place in the artifact store, and returns the names that the
/// request had before: where it had none, the file's hash. Throws ValidationError naming
/// files that were not uploaded.
FileNames locate_files(const Context& context, google::protobuf::Message& specification);

/// Requests by the hash of their stored JSON; the last few are kept.
class RequestCache {
public:
    explicit RequestCache(const Context& context) : context_(context) {}

    /// Throws NotFound when it is not stored any more, or a file of it is not.
    [[nodiscard]] std::shared_ptr<const ResolvedRequest> get(const std::string& sha256);

private:
    void check_stored(const std::string& sha256, const ResolvedRequest& resolved) const;

    const Context& context_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const ResolvedRequest>> known_;
};

/// The JSON that is stored: files by their hash alone.
[[nodiscard]] std::string stored_json(const google::protobuf::Message& specification);
/// Stores a text as an artifact; returns its hash.
std::string put_text(artifacts::ArtifactStore& artifacts, const std::string& text);
/// Stores a file as an artifact; returns its hash.
std::string put_file(artifacts::ArtifactStore& artifacts, const std::filesystem::path& file);

/// Holds the text that a task keeps for the server that hands it out: the hash of its request
/// and the job that it was made for. The text is "<sha256> <job> <traceparent>"; tasks older than
/// migration 020 have the hash alone.
struct Payload {
    std::string request_sha256;
    std::string job;          ///< UUID; empty: not known
    std::string traceparent;  ///< of the job; empty: none

    [[nodiscard]] static Payload parse(const std::string& text) {
        const std::size_t first = text.find(' ');
        if (first == std::string::npos) {
            return {text, "", ""};
        }
        const std::size_t second = text.find(' ', first + 1);
        return {text.substr(0, first), text.substr(first + 1, second - first - 1),
                second == std::string::npos ? "" : text.substr(second + 1)};
    }
    [[nodiscard]] std::string to_text() const {
        return request_sha256 + ' ' + job + ' ' + traceparent;
    }
};

}  // namespace kaname::service
