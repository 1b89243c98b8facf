# SPDX-License-Identifier: MIT
# An overlay port: put in the address and the checksum of the release's archive.
vcpkg_download_distfile(ARCHIVE
  URLS "file:///gsym-1.0.0-rc1.tar.xz"
  FILENAME "gsym-${VERSION}.tar.xz"
  SKIP_SHA512)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

set(options "")
if(NOT "convert" IN_LIST FEATURES)
  list(APPEND options --disable-convert)
endif()
vcpkg_configure_make(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${options})
vcpkg_install_make()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/gsym)
vcpkg_copy_tool_dependencies("${CURRENT_PACKAGES_DIR}/tools/${PORT}")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include"
  "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
