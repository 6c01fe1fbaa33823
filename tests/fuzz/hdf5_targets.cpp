// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/earth/gridded_surface.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "solvers/io/dataset/inversion_dataset.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/io/export/fault_series.hpp"
#include "solvers/io/export/greens/greens_export.hpp"
#include "solvers/io/export/vtu_export.hpp"
#include "solvers/io/export/xdmf.hpp"
#include "solvers/io/mesh_file.hpp"
#include "solvers/io/source_file.hpp"
#include "tests/fuzz/described_hdf5.hpp"
#include "tests/fuzz/target_groups.hpp"
#include "worker/jobs/rupture/fault_table.hpp"
#include "worker/jobs/voxel_fem/wave_model.hpp"

namespace kaname::fuzz {
namespace {

std::string as_hdf5(std::string_view bytes) {
    std::string path = as_file("", "input.h5");
    write_described_hdf5(bytes, path);
    return path;
}

/// Calls the readers in turn, each whatever the one before said. Throws what the first said.
template <class... Read>
void read_all(const Read&... read) {
    std::exception_ptr said;
    const auto attempt = [&said](const auto& one) {
        try {
            (void)one();
        } catch (const Error&) {
            said = said ? said : std::current_exception();
        }
    };
    (attempt(read), ...);
    if (said) {
        std::rethrow_exception(said);
    }
}

void hdf5_mesh(std::string_view bytes) {
    const std::string path = as_hdf5(bytes);
    read_all([&] { return io::mesh_sha256(io::read_mesh(path)); },
             [&] { return io::read_mesh_labels(path); });
}

void hdf5_greens(std::string_view bytes) {
    const std::string path = as_hdf5(bytes);
    read_all([&] { return io::read_greens_dataset(path); },
             [&] { return io::read_greens_rows(path); },
             [&] { return io::read_solve_records(path); },
             [&] {
                 return io::read_greens_slice(path, {0, 0, 2}, {1, 1, 1}, {0, 2, 1});
             },
             [&] {
                 const io::GreensAxes axes = io::read_greens_axes(path);
                 return io::read_greens_slice(path, {{0}, {1, 0}, {1}}).greens.size() +
                        axes.patches.size();
             });
}

void hdf5_fault_response(std::string_view bytes) {
    (void)io::read_fault_response(as_hdf5(bytes));
}

void hdf5_source(std::string_view bytes) {
    (void)io::read_source_result(as_hdf5(bytes));
}

void hdf5_waves(std::string_view bytes) {
    const std::string path = as_hdf5(bytes);
    read_all([&] { return io::read_wave_result(path); }, [&] { return io::read_wave_header(path); },
             [&] { return io::read_wave_rows(path, 0, 1); });
}

void hdf5_seismograms(std::string_view bytes) {
    const std::string path = as_hdf5(bytes);
    read_all([&] { return io::read_seismogram_rows(path); },
             [&] { return io::read_seismograms(path, 0); },
             [&] {
                 return io::read_greens_slice(path, {0, 1, 1}, {0, 0, 2}, {0, 1, 1});
             });
}

/// Files that are made of a dataset stand in its folder.
void hdf5_fields(std::string_view bytes) {
    const std::string path = as_hdf5(bytes);
    const TemporaryFolder files(std::filesystem::path(path).parent_path());
    read_all([&] { return io::write_xdmf(path); },
             [&] { return io::export_vtu(path, files.path(), std::nullopt); });
}
void hdf5_inversion(std::string_view bytes) {
    const std::string path = as_hdf5(bytes);
    const TemporaryFolder tables(std::filesystem::path(path).parent_path());
    read_all([&] { return io::read_inversion_report(path); },
             [&] { return io::write_slip_tables(path, tables.path()); });
}
/// One layout, that the length of the text names.
void hdf5_export(std::string_view bytes) {
    static const std::vector<std::string> layouts = io::greens_export_layouts();
    const std::string path = as_hdf5(bytes);
    const TemporaryFolder files(std::filesystem::path(path).parent_path());
    (void)io::export_greens(path, layouts[bytes.size() % layouts.size()], files.path());
}
void hdf5_rupture(std::string_view bytes) {
    const std::string path = as_hdf5(bytes);
    const TemporaryFolder series(std::filesystem::path(path).parent_path());
    (void)io::export_fault_series(path, series.path());
}

void hdf5_grid(std::string_view bytes) {
    (void)earth::read_surface_file(as_hdf5(bytes), {});
}
void hdf5_voxels(std::string_view bytes) {
    std::vector<std::string> notes;
    (void)jobs::read_wave_grid(as_hdf5(bytes), {2, 2, 1}, 100.0, notes);
}
void hdf5_fault_table(std::string_view bytes) {
    (void)jobs::FaultTable::read(as_hdf5(bytes)).covers(50.0, 50.0, 1.0);
}

}  // namespace

std::vector<Target> hdf5_targets() {
    if (!h5::available()) {
        return {};
    }
    const std::vector<const char*> words = {"f8 ",
                                            "f4 ",
                                            "i4 ",
                                            "i1 ",
                                            "text ",
                                            "@text / ",
                                            "@f8 /",
                                            " - ",
                                            " 0x3 ",
                                            " 1x3 ",
                                            " nan",
                                            " -1",
                                            " 2x2 ",
                                            "|",
                                            " 4294967296x4294967296 ",
                                            "external_data ",
                                            "external_link ",
                                            "virtual ",
                                            "filter "};
    return {
        {"hdf5_mesh", hdf5_mesh, {}, words},
        {"hdf5_greens", hdf5_greens, {}, words},
        {"hdf5_fault_response", hdf5_fault_response, {}, words},
        {"hdf5_source", hdf5_source, {}, words},
        {"hdf5_waves", hdf5_waves, {}, words},
        {"hdf5_seismograms", hdf5_seismograms, {}, words},
        {"hdf5_fields", hdf5_fields, {}, words},
        {"hdf5_inversion", hdf5_inversion, {}, words},
        {"hdf5_export", hdf5_export, {"tests/fuzz/seeds/hdf5_greens.txt"}, words},
        {"hdf5_rupture", hdf5_rupture, {}, words},
        {"hdf5_grid", hdf5_grid, {}, words},
        {"hdf5_voxels", hdf5_voxels, {}, words},
        {"hdf5_fault_table", hdf5_fault_table, {}, words},
    };
}

}  // namespace kaname::fuzz
