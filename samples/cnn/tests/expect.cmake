# cmake -DPROGRAM=… -DARGUMENTS=a;b -DCODE=2 -DOUTPUT=regex -P expect.cmake: runs a program and
# checks its exit code and its output.
execute_process(
  COMMAND "${PROGRAM}" ${ARGUMENTS}
  RESULT_VARIABLE code
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(NOT code STREQUAL CODE)
  message(FATAL_ERROR "exit code ${code} instead of ${CODE}:\n${output}")
endif()
if(NOT output MATCHES "${OUTPUT}")
  message(FATAL_ERROR "no '${OUTPUT}' in:\n${output}")
endif()
