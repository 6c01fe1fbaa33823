// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <fstream>
#include <istream>
#include <span>
#include <string>

#include "proto/kaname/v1/greens.pb.h"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/stage/solve_options.hpp"
#include "worker/jobs/stage/stage.hpp"

namespace kaname::compute {

/// Numbers in a file as little-endian float64, one after the other. All throw Unavailable when it
/// cannot be written.
class ValuesFile {
public:
    explicit ValuesFile(std::string file);
    void append(std::span<const double> values);
    void close();

private:
    void check() const;

    std::string file_;
    std::ofstream out_;
};

/// A file of these.
void write_values(const std::string& file, std::span<const double> values);

/// `field`: its place in the request, for errors.
[[nodiscard]] jobs::SlipHistory history_of(const v1::SlipHistory& history,
                                           const std::string& field);

/// The history that answers of a dataset are under: `wanted` [JSON of kaname.v1.SlipHistory],
/// empty: the dataset's own. Throws ValidationError for a history that breaks a rule; end_s: of the
/// solve.
[[nodiscard]] jobs::SlipHistory answered_history(const std::string& specification_json,
                                                 const std::string& wanted, double end_s);

/// Answers a ReadCommand per line of `in` until it ends: what the verb `read` of a kind does once
/// it has opened what it needs. Result events: "ready", a ReaderReport, then per command "block", a
/// BlockReport, whose values are in the file that the command named. A command that cannot be
/// followed, or a file that cannot be read, is a Failure event, and the next command is awaited.
int read_sources(jobs::SourceReader& reader, std::istream& in, Reporter& reporter);

}  // namespace kaname::compute
