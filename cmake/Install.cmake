# `cmake --install`: the program, and the files that it loads into the programs that it records.
#   bin/warpsight
#   lib/warpsight/libwarpsight_agent.so, libwarpsight_torch.so, python/ (python/CMakeLists.txt)
#   share/doc/warpsight/LICENSE, NOTICE
#   share/applications, share/mime, share/icons: profiles open in the viewer from a file manager
#   share/man/man1/warpsight.1.gz, warpsight-report.1.gz, ...
#   share/bash-completion/completions/warpsight, share/zsh/site-functions/_warpsight,
#   share/fish/vendor_completions.d/warpsight.fish
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION share/doc/warpsight)
if(TARGET warpsight)
  install(TARGETS warpsight RUNTIME DESTINATION bin)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/share/" DESTINATION share)
endif()
if(TARGET warpsight_agent)
  install(TARGETS warpsight_agent LIBRARY DESTINATION lib/warpsight)
endif()
if(TARGET warpsight_torch)
  install(TARGETS warpsight_torch LIBRARY DESTINATION lib/warpsight)
endif()
# Where no system DuckDB is found, its library is the build's own.
if(DuckDB_LIBRARY MATCHES "^${PROJECT_BINARY_DIR}/")
  install(FILES "${DuckDB_LIBRARY}" DESTINATION lib/warpsight)
endif()
set(desktop "${PROJECT_SOURCE_DIR}/packaging/desktop")
install(FILES "${desktop}/warpsight.desktop" DESTINATION share/applications)
install(FILES "${desktop}/warpsight.xml" DESTINATION share/mime/packages)
install(FILES "${desktop}/warpsight.svg" DESTINATION share/icons/hicolor/scalable/apps)
