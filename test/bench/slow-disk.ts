/**
 * The command line to run a program whose syncs take this many milliseconds longer. It needs
 * strace, which leaves all other calls of the program alone.
 */
export function onSlowDisk(milliseconds: number): readonly string[] {
  const syncs = 'fsync,fdatasync'
  const delay = `inject=${syncs}:delay_enter=${milliseconds * 1_000}`
  // The tracer is beside the program, which so is the process that was started.
  const tracer = ['strace', '--daemonize', '--follow-forks', '--seccomp-bpf', '--quiet=all']
  return [...tracer, '--output=/dev/null', `--trace=${syncs}`, '-e', delay]
}
