// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::io {

/// Motion for many rheologies, summed over a slip distribution: R rheologies, P viscosities, M
/// ratios of moduli, T epochs, N stations.
struct AnswerTable {
    std::vector<std::string> parameters;   ///< [P]
    std::vector<double> viscosity_pa_s;    ///< [R][P]
    std::vector<std::string> ratios;       ///< [M] of bodies other than the specification's
    std::vector<double> modulus_ratio;     ///< [R][M]
    std::vector<double> error;             ///< [R] certified, over the largest change
    std::vector<double> epochs_s;          ///< [T]
    std::vector<std::string> stations;     ///< [N]
    std::vector<double> displacement_m;    ///< [R][T][N][3] east, north, up
    std::string name, specification_json;  ///< of the dataset that answered
};

/// HDF5 that netCDF-4 readers open: displacement(rheology, epoch, station, component),
/// viscosity(rheology, parameter), modulus_ratio(rheology, modulus)
/// where there are any, error(rheology). Appears under its name when it is complete.
void write_answer_table(const std::string& path, const AnswerTable& table);

}  // namespace kaname::io
