# zsh -f complete.zsh FOLDER LINE: what zsh offers at the end of the line, one per output line, with the
# completion function in FOLDER. An interactive zsh of its own completes, on a terminal of its own.
zmodload zsh/zpty
results=$(mktemp)
setup=$(mktemp)
cat > $setup <<SETUP
PS1=
fpath=(${(q)1} \$fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
  # Calls that only compare fill arrays that are named with -A, -D or -O.
  local argument
  for argument; do
    [[ \$argument == -- ]] && break
    [[ \$argument == -[ADO]* ]] && { builtin compadd "\$@"; return }
  done
  local -a hits
  builtin compadd -O hits "\$@"
  (( \$#hits )) && print -rl -- \$hits >> ${(q)results}
  builtin compadd "\$@"
}
offer() {
  _main_complete
  compstate[insert]= compstate[list]=
  print -n OFFERED
}
zle -C offer complete-word offer
bindkey '^I' offer
print -n READY
SETUP
zpty shell TERM=dumb zsh -f -i
zpty -w shell "source ${(q)setup}"
zpty -r shell output '*READY*'
zpty -w -n shell "$2"$'\t'
zpty -r shell output '*OFFERED*'
zpty -d shell
sort -u $results
rm $results $setup
