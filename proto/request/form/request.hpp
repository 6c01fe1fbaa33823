// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <google/protobuf/message.h>

#include "proto/kaname/v1/report.pb.h"
#include "proto/request/form/json.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/geo_box.hpp"

namespace kaname::request {

/// Workers that may run a task name its pool: any processor, or those set up to solve.
inline constexpr const char* kCpuPool = "cpu";
inline constexpr const char* kSolvePool = "solve";

/// One stage of a request: what a worker runs, and when it may.
struct Task {
    std::string verb;   ///< of kaname-compute
    std::string label;  ///< for people, and the name under which its result is another's input
    /// Content key: SHA-256 (hex) of all that the result depends on. Equal keys are computed once.
    std::string key;
    /// Tasks of one non-empty key share what is set up for them, and can be run together.
    std::string compat_key = {};
    std::string pool = kCpuPool;
    /// Names tasks of this graph, by key, whose results this task takes: all of them are done
    /// before it begins.
    std::vector<std::string> needs = {};
    /// Names tasks of this graph, by key, that must have ended before this task begins. It takes
    /// the results of those that are done, at least one.
    std::vector<std::string> gathers = {};
    bool source = false;   ///< counts when a job's progress is told: what the request is about
    bool session = false;  ///< run by a program that stays and keeps what it has set up
};

/// All that a request takes. Sources come first, in the order of the dataset; the result of the
/// last task is what was asked for: the dataset.
struct TaskGraph {
    std::vector<Task> tasks;

    [[nodiscard]] std::size_t n_sources() const;
};

/// How long the tasks of a verb are expected to take [s].
struct VerbTime {
    std::string verb;
    double once_s = 0.0;  ///< before the first of a session
    double each_s = 0.0;  ///< of each, or of each pack where they are run together
};

/// Description holds the properties by which the result of a request can be found.
struct Description {
    std::string physics;              ///< "elastic", "viscoelastic", "inversion"; empty: none
    std::vector<std::string> faults;  ///< names and kinds, each once
    /// Hex SHA-256 of the structure's canonical text, whatever else is wanted of it; empty: none.
    std::string structure_sha256;
    std::vector<std::string> stations;  ///< ids, each once
    std::optional<GeoBox> place;        ///< of sources and stations; nothing: not on the globe
};

/// A request that keeps every rule that needs no geometry, whatever its kind: what client and
/// server know of it.
class Request {
public:
    virtual ~Request() = default;

    /// Defaults filled in, file paths absolute, their sha256 set.
    [[nodiscard]] virtual const google::protobuf::Message& message() const = 0;
    /// For people: the job's title.
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// For people: what was chosen where the request left it open; empty: nothing.
    [[nodiscard]] virtual std::string chosen() const { return ""; }
    [[nodiscard]] virtual TaskGraph graph() const = 0;
    [[nodiscard]] virtual Description describe() const { return {}; }
    /// Requests of equal text have the same estimate: what a machine need not be asked twice.
    [[nodiscard]] virtual std::string estimate_key() const { return graph().tasks.back().key; }
    /// The times in an estimate of this request, by verb; verbs that are not named take none.
    [[nodiscard]] virtual std::vector<VerbTime> times(const v1::Estimate& estimate) const = 0;
    /// Takes up what preflight found out and the request left to it.
    virtual void settle(const v1::Estimate&) {}
};

/// A kind of request: a message, and how it is checked. Stateless.
class Kind {
public:
    virtual ~Kind() = default;

    /// Values of the message's field `schema`, as users write them.
    [[nodiscard]] virtual std::vector<std::string> schemas() const = 0;
    [[nodiscard]] virtual const google::protobuf::Message& prototype() const = 0;
    /// Name of the file that its result gets in a folder.
    [[nodiscard]] virtual std::string result_file() const { return "greens.h5"; }
    /// Hex SHA-256 of all that the result depends on: equal for another label or order of keys.
    [[nodiscard]] virtual std::string content_hash(
        const google::protobuf::Message& message) const = 0;
    /// A message of prototype()'s type whose files have absolute paths. Throws ValidationError with
    /// everything that is wrong with it, its files and their rows.
    [[nodiscard]] virtual std::unique_ptr<Request> check(
        const google::protobuf::Message& message) const = 0;
    /// A file as users write it (YAML); ValidationError also names lines. Throws Error when it is
    /// no YAML at all.
    [[nodiscard]] virtual std::unique_ptr<Request> load(const std::string& path) const = 0;
    /// As check(), of a message that was read from YAML in pieces: also names lines, and leaves out
    /// what only follows from values that could not be read.
    [[nodiscard]] virtual std::unique_ptr<Request> check_read(
        const google::protobuf::Message& message, YamlReading reading) const;
};

/// KindOf is a kind of one message: `check_message` and `load_file` return what an `Asked`, its
/// Request, is made of, from a message (as Kind::check_read()) and from a file.
template <class Message, class Asked, auto check_message, auto load_file>
class KindOf : public Kind {
public:
    [[nodiscard]] std::vector<std::string> schemas() const override {
        return {Message::descriptor()->full_name()};
    }
    [[nodiscard]] const Message& prototype() const override { return Message::default_instance(); }
    [[nodiscard]] std::string content_hash(
        const google::protobuf::Message& message) const override {
        Message unlabelled = dynamic_cast<const Message&>(message);
        unlabelled.clear_name();
        unlabelled.clear_description();
        return sha256_hex(canonical_text(unlabelled));
    }
    [[nodiscard]] std::unique_ptr<Request> check(
        const google::protobuf::Message& message) const override {
        return check_read(message, {});
    }
    [[nodiscard]] std::unique_ptr<Request> load(const std::string& path) const override {
        return std::make_unique<Asked>(load_file(path));
    }
    [[nodiscard]] std::unique_ptr<Request> check_read(const google::protobuf::Message& message,
                                                      YamlReading reading) const override {
        return std::make_unique<Asked>(
            check_message(dynamic_cast<const Message&>(message), std::move(reading)));
    }
};

/// All kinds that a program knows, by schema and by type. Keeps no copies: kinds outlive it.
class Kinds {
public:
    explicit Kinds(std::vector<const Kind*> kinds) : kinds_(std::move(kinds)) {}

    /// Throws ValidationError on the field `schema`, naming all that are known.
    [[nodiscard]] const Kind& of_schema(const std::string& schema) const;
    /// By the message's full name. Throws ValidationError on `field`.
    [[nodiscard]] const Kind& of_type(const std::string& type, const std::string& field) const;
    [[nodiscard]] const Kind& of(const google::protobuf::Message& message) const;
    [[nodiscard]] const std::vector<const Kind*>& all() const { return kinds_; }
    /// The message in JSON that to_json() wrote, of the kind that its schema names; nothing is
    /// checked. `name` begins the message of errors.
    [[nodiscard]] std::unique_ptr<google::protobuf::Message> parse(const std::string& json,
                                                                   const std::string& name) const;
    /// Checks a file as users write it. Without a schema nothing but that is reported.
    [[nodiscard]] std::unique_ptr<Request> load(const std::string& path) const;

private:
    std::vector<const Kind*> kinds_;
};

}  // namespace kaname::request
