# `cmake --install`: the program, and the files that it loads into the programs that it records.
#   bin/warpsight
#   lib/warpsight/libwarpsight_agent.so, lib/warpsight/python/ (python/CMakeLists.txt)
#   share/doc/warpsight/LICENSE, NOTICE
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE" DESTINATION share/doc/warpsight)
if(TARGET warpsight)
  install(TARGETS warpsight RUNTIME DESTINATION bin)
endif()
if(TARGET warpsight_agent)
  install(TARGETS warpsight_agent LIBRARY DESTINATION lib/warpsight)
endif()
# Without a system DuckDB, the library is the one in the build folder.
if(DuckDB_LIBRARY MATCHES "^${PROJECT_BINARY_DIR}/")
  install(FILES "${DuckDB_LIBRARY}" DESTINATION lib/warpsight)
endif()
