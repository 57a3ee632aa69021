# Run by CPack between installing files and making the package of them.
execute_process(
  COMMAND "${CPACK_WARPSIGHT_PYTHON}" -B "${CPACK_WARPSIGHT_SOURCE_DIR}/packaging/stage.py"
          "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr" --deb COMMAND_ERROR_IS_FATAL ANY)
