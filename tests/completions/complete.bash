# bash complete.bash SCRIPT LINE: what bash offers at the end of the line, one per output line.
source "$1"

# As readline divides it: "=" is a word of its own.
COMP_WORDS=()
read -ra parts <<<"$2"
for part in "${parts[@]}"; do
  if [[ $part == -*=* ]]; then
    COMP_WORDS+=("${part%%=*}" =)
    part=${part#*=}
    [[ -n $part ]] || continue
  fi
  COMP_WORDS+=("$part")
done
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_LINE=$2
COMP_POINT=${#2}

function=$(complete -p warpsight)
function=${function#*-F }
"${function%% *}"
printf '%s\n' "${COMPREPLY[@]}"
