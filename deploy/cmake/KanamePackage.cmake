# `cpack -G DEB` in a build folder of the preset package: a Debian package of what is installed.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kaname)
set(CPACK_PACKAGE_VENDOR "Kaname")
set(CPACK_PACKAGE_CONTACT "Kaname maintainers <maintainers@kaname.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "viscoelastic Green's functions of crustal deformation")
set(CPACK_PACKAGE_DESCRIPTION
    "Kaname computes how the Earth's crust moves after slip on a fault:
viscoelastic Green's functions, for many patches of a fault at once, in a model
with a curved plate interface and layered materials, alone or through a
service with a queue.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Programs and data that are called, not linked.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "postgresql, proj-data, python3, systemd | systemd-standalone-sysusers")
if(found_MPI)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", openmpi-bin")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    python3-grpcio python3-h5py python3-matplotlib python3-netcdf4 python3-numpy
    python3-protobuf python3-xarray python3-yaml)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3-gdal)
list(JOIN CPACK_DEBIAN_PACKAGE_RECOMMENDS ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "${PROJECT_SOURCE_DIR}/deploy/deb/postinst;${PROJECT_SOURCE_DIR}/deploy/deb/prerm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Read when cpack runs: a build for this very processor is no package for others.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/deploy/cmake/KanamePackageCheck.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/deploy/cmake/KanamePackageFiles.cmake)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_KANAME_ARCH "${KANAME_ARCH}")
include(CPack)
