// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <exception>

#include "solvers/comm/comm.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/viscoelastic/stepping/pack_state.hpp"

namespace kaname::jobs {

/// Numbers per dataset of an array: it travels and is stored in pieces, so that no rank ever holds
/// all of a large mesh's.
inline constexpr std::int64_t kNumbersPerPiece = std::int64_t{1} << 23;

/// Writes a pack's state to an HDF5 file of rank 0, numbered as the whole mesh:
///   <name>         a number, or one per source
///   <name>/extent  largest id + 1, ids per piece
///   <name>/<k>     [items][width * 4] of the ids of piece k
///   <name>/<k>_id  [items]; absent when all ids of the piece are there
///   <name>/rank<r> that rank's own bytes, with `full`
/// Every piece has its CRC-32C (attribute). What goes wrong on rank 0 is kept until finish(), so
/// that the ranks stay together.
class CheckpointWriter final : public viscoelastic::StateArchive {
public:
    /// `file`: of rank 0, null elsewhere or where it could not be made.
    CheckpointWriter(h5::File* file, bool full, comm::Comm& comm,
                     std::int64_t numbers_per_piece = kNumbersPerPiece)
        : file_(file), full_(full), comm_(comm), numbers_per_piece_(numbers_per_piece) {}

    [[nodiscard]] bool reading() const override { return false; }
    [[nodiscard]] bool keeps_own() const override { return full_; }
    void number(const std::string& name, std::int64_t& value) override;
    void lanes(const std::string& name, std::span<std::int64_t> values) override;
    void items(const std::string& name, std::span<const std::int64_t> ids, int width,
               device::View<double> values, device::Queue& queue) override;
    bool own(const std::string& name, predictors::StateBytes& bytes) override;

    /// Returns the error that occurred on rank 0; null without one and on other ranks.
    [[nodiscard]] std::exception_ptr error() const { return error_; }

private:
    template <class Write>
    void on_first_rank(const Write& write);

    h5::File* file_;
    bool full_;
    comm::Comm& comm_;
    std::int64_t numbers_per_piece_;
    std::exception_ptr error_;
};

/// Reads what CheckpointWriter wrote, on any number of ranks; rank 0 alone touches the file.
class CheckpointReader final : public viscoelastic::StateArchive {
public:
    /// `file`: of rank 0, null elsewhere. place[lane]: where the lane's source was when it was
    /// written, -1: no source. `own`: the ranks' own bytes fit, where there are any.
    CheckpointReader(const h5::File* file, std::array<int, lanes::kLanes> place, bool own,
                     comm::Comm& comm);

    [[nodiscard]] bool reading() const override { return true; }
    [[nodiscard]] bool keeps_own() const override { return keeps_own_; }
    void number(const std::string& name, std::int64_t& value) override;
    void lanes(const std::string& name, std::span<std::int64_t> values) override;
    void items(const std::string& name, std::span<const std::int64_t> ids, int width,
               device::View<double> values, device::Queue& queue) override;
    bool own(const std::string& name, predictors::StateBytes& bytes) override;

private:
    /// Rank 0's bytes on every rank; throws on all of them what it throws there.
    template <class Read>
    [[nodiscard]] comm::Bytes from_first_rank(const Read& read);

    const h5::File* file_;
    std::array<int, lanes::kLanes> place_;
    bool keeps_own_ = false;
    comm::Comm& comm_;
};

}  // namespace kaname::jobs
