// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <google/protobuf/generated_enum_reflection.h>
#include <google/protobuf/message.h>
#include <nlohmann/json.hpp>

#include "client/cli/common/commands.hpp"
#include "client/lib/client.hpp"

namespace kaname::cli {

/// Which server a command talks to.
struct ServiceOptions {
    std::string server, token, state;
    std::string ca = {};
};
void add_service_options(Command& command, ServiceOptions& options);
/// Calls end when the user interrupts.
[[nodiscard]] client::ClientOptions interruptible();
/// A client whose calls end when the user interrupts. Throws Unavailable when none is known.
[[nodiscard]] std::unique_ptr<client::Client> open_client(const ServiceOptions& options);

/// `command` ("logs 1234") of this program for the same server, to be typed as it is.
[[nodiscard]] std::string to_type(const Context& context, const ServiceOptions& options,
                                  const std::string& command);

/// Lists the ids that a filter finds, newest first, at most `limit`.
using FindIds = std::function<std::vector<std::string>(const std::string& filter, int limit)>;
/// Texts for what is named by no word, by the beginning of several ids (before their number), or by
/// a word that is nobody's.
struct NamingTexts {
    std::string none, several, unknown;
};
/// Returns the uuid of what is named by it, by a beginning of it (4 characters or more), by the
/// title of the newest such thing, or by "latest". Throws NotFound, or InvalidArgument for a
/// beginning of several.
[[nodiscard]] std::string resolve_id(const std::string& text, const FindIds& find,
                                     const NamingTexts& texts);
/// Returns the uuid of a job, as resolve_id does.
[[nodiscard]] std::string resolve_job(client::Client& client, const std::string& text);

/// "jobs/<uuid>" without its collection.
[[nodiscard]] std::string id_of(const std::string& name);
/// The word of a number of an enumeration, in lower case.
[[nodiscard]] std::string word_of(const google::protobuf::EnumDescriptor* choices, int number);
template <class State>
[[nodiscard]] std::string state_text(State state) {
    return word_of(google::protobuf::GetEnumDescriptor<State>(), state);
}
/// "12 of 24 done, 1 failed"
[[nodiscard]] std::string counts_text(const v1::Job& job);
/// Local time, "2026-01-31 23:59".
[[nodiscard]] std::string time_text(double unix_s);

/// Returns a message as commands print it. Unlike in protobuf's own JSON, 64-bit numbers are
/// numbers and words of enumerations are in lower case. `fields` are words: a field's name,
/// `name=key`, `name@key` (of "jobs/<uuid>" the uuid alone), `-name` (left out), and `*` for all
/// others that are set or cannot be unset.
[[nodiscard]] nlohmann::json json_of(const google::protobuf::Message& message,
                                     const std::string& fields = "*");
inline constexpr const char* kWorkerFields = "name@id *";
/// {ordinal, label, verb, source, state, reused, error, sha256, bytes}
inline constexpr const char* kItemFields = "* -content_key";
[[nodiscard]] nlohmann::json submit_json(const v1::SubmitReport& report);
/// {id, title, owner, state, priority, counts {...}, created_s, ended_s, etag} and, where there is
/// one, report, dataset, progress.
[[nodiscard]] nlohmann::json job_json(const v1::Job& job);

/// Exit code of a command that waited for the job's end.
[[nodiscard]] int exit_code_of(const v1::Job& job);
void print_json(const nlohmann::json& object);

/// How long to wait between two looks at a kaname-server that works.
inline constexpr std::chrono::milliseconds kServerPoll{100};

/// kaname-server beside this program. Throws NotFound.
[[nodiscard]] std::filesystem::path server_program();

/// Has kaname-server do something on this machine. Its lines are printed as they come, with --json
/// none. Returns its exit code where that is one of `good`, with its lines; else throws with the
/// last of them.
struct ServerRun {
    int exit_code = 0;
    std::vector<std::string> lines;
};
[[nodiscard]] ServerRun run_server(const std::vector<std::string>& arguments,
                                   const std::vector<int>& good, const Context& context);

}  // namespace kaname::cli
