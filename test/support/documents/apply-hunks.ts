/** Applies a unified diff to a text line by line, refusing hunks that do not fit. */
export function applyHunks(before: string, hunks: string): string {
  const lines = linesOf(before)
  const after: string[] = []
  let at = 0
  for (const { start, body } of hunksOf(hunks)) {
    after.push(...lines.slice(at, start))
    at = start
    for (const { mark, line } of body) {
      if (mark !== '+') {
        if (lines[at] !== line) throw new Error(`line ${at + 1} of the text is not in the hunk`)
        at += 1
      }
      if (mark !== '-') after.push(line)
    }
  }
  return [...after, ...lines.slice(at)].join('')
}

function hunksOf(text: string) {
  const hunks: { start: number; body: { mark: string; line: string }[] }[] = []
  let left = { before: 0, after: 0 }
  for (const line of linesOf(text)) {
    const body = hunks.at(-1)?.body
    const last = body?.at(-1)
    if (line.startsWith('\\') && last) {
      last.line = last.line.slice(0, -1)
    } else if (left.before + left.after === 0) {
      const header = parseHeader(line)
      hunks.push({ start: header.start, body: [] })
      left = header.left
    } else {
      const mark = line.slice(0, 1)
      body?.push({ mark, line: line.slice(1) })
      if (mark !== '+') left.before -= 1
      if (mark !== '-') left.after -= 1
    }
  }
  if (left.before !== 0 || left.after !== 0)
    throw new Error('a hunk is shorter than its header says')
  return hunks
}

function parseHeader(line: string) {
  const match = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$/.exec(line)
  if (!match) throw new Error(`not a hunk header: ${line}`)
  const [, start, before = '1', , after = '1'] = match
  const count = Number(before)
  return {
    start: count === 0 ? Number(start) : Number(start) - 1,
    left: { before: count, after: Number(after) },
  }
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
