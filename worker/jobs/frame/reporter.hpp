// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <google/protobuf/message.h>

#include "proto/kaname/v1/mesh_report.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "solvers/base/text.hpp"
#include "worker/jobs/geometry/mesh_report.hpp"
#include "worker/jobs/stage/stage.hpp"
#include "worker/run/events.hpp"

namespace kaname::compute {

/// Writes the events of one verb, one flushed line each. Progress comes at most every
/// `kProgressInterval` per stage (once when a stage ends), so that fast steps do not flood the
/// reader, and gets its time to go from the time and fraction since the stage's first report of
/// some work done.
class Reporter {
public:
    using Clock = std::chrono::steady_clock;
    using Now = std::function<Clock::time_point()>;
    static constexpr std::chrono::milliseconds kProgressInterval{200};

    explicit Reporter(std::ostream& out, Now now = Clock::now) : out_(out), now_(std::move(now)) {}

    void progress(const std::string& stage, double fraction, const std::string& text);
    /// The next progress begins a stage anew, whatever its name.
    void restart() { stage_.clear(); }
    void result(const std::string& verb, const google::protobuf::Message& report);
    void failure(const run::Failure& failure);
    void checkpoint(const run::Checkpoint& checkpoint);
    /// Writes a line for people.
    void log(const std::string& line) { write(line); }

private:
    void write(const std::string& line);

    std::ostream& out_;
    Now now_;
    std::string stage_;
    Clock::time_point stage_start_{}, last_{};
    double first_fraction_ = 0.0;
    bool ended_ = false;
};

/// The functions below report findings about meshes, and files written, as the messages of verbs.

/// Throws report::BrokenReport when the file's JSON is no report.
[[nodiscard]] v1::MeshReport report_of(const jobs::MeshSummary& summary);
/// Logs and reports a mesh that was made. `times`: of its phases. Returns the exit code.
int report_mesh(const jobs::MeshSummary& summary, const std::string& times,
                const std::string& mesh_path, Reporter& reporter);
[[nodiscard]] v1::MeshCheckReport report_of(const jobs::MeshCheck& found);
[[nodiscard]] v1::WrittenReport written_report(const std::vector<std::string>& paths);

/// How long each phase of a stage took.
class PhaseTimes {
public:
    void enter(const std::string& phase) {
        if (!phases_.empty()) {
            phases_.back().seconds += seconds_since(since_);
        }
        since_ = Clock::now();
        if (phases_.empty() || phases_.back().name != phase) {
            phases_.push_back({phase});
        }
    }
    /// "lattice 0.2 s, quality 0.1 s"
    [[nodiscard]] std::string text() {
        enter("");
        std::string text;
        for (const Phase& phase : phases_) {
            if (!phase.name.empty()) {
                char seconds[32];
                std::snprintf(seconds, sizeof seconds, " %.1f s", phase.seconds);
                text += (text.empty() ? "" : ", ") + phase.name + seconds;
            }
        }
        return text;
    }

private:
    using Clock = std::chrono::steady_clock;
    struct Phase {
        std::string name;
        double seconds = 0.0;
    };
    std::vector<Phase> phases_;
    Clock::time_point since_{};
};

/// Files that a verb is given, by label: results of earlier stages.
using Inputs = std::map<std::string, std::string>;

/// Adds what "LABEL=PATH" says. Throws InvalidArgument where it says nothing, or a label comes
/// twice.
void add_input(const std::string& text, Inputs& inputs);

/// Adds the lines of a file, each a label, a tab and a path. Throws NotFound when it cannot be
/// read, InvalidArgument naming a line that is none, or whose label comes twice.
void add_input_list(const std::string& path, Inputs& inputs);

/// Version and compiled-in libraries of this build.
[[nodiscard]] v1::BuildReport build_report();

/// "kaname-compute 0.1.0, commit 0123456789ab", for logs.
[[nodiscard]] std::string program_text();

/// "Intel(R) Xeon(R) Processor, 16 cores": what decides how fast this build computes.
[[nodiscard]] std::string machine_text();

}  // namespace kaname::compute
