// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "server/helpers/helper_sessions.hpp"
#include "server/helpers/source_reader.hpp"

namespace kaname::helpers {

struct SourceReadersOptions {
    std::filesystem::path program;          ///< kaname-compute
    std::filesystem::path scratch;          ///< a folder of their own
    int threads = 1;                        ///< threads of one reader
    int most = 4;                           ///< readers at a time: each has a mesh in memory
    std::chrono::milliseconds idle{60000};  ///< after which one is closed
    std::chrono::seconds limit{300};        ///< longest time for one answer
    /// Returns the limits of a reader that writes to `folder`.
    std::function<run::ResourceLimits(const std::filesystem::path& folder)> limits = {};
};

/// Readers of results, one per specification and inputs (HelperSessions).
class SourceReaders {
public:
    explicit SourceReaders(SourceReadersOptions options);

    /// As Compute::read.
    Block read(const std::string& spec_json, std::span<const NamedFile> inputs,
               std::span<const NamedFile> sources);

private:
    const SourceReadersOptions options_;
    HelperSessions sessions_;
};

}  // namespace kaname::helpers
