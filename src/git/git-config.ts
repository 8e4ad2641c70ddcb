/** The header of a section, a setting with its value, or a comment. */
const PARTS =
  /\[([\w.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\]|([A-Za-z][\w-]*)[ \t]*(?:=((?:"(?:[^"\\\n]|\\[^])*"|\\[^]|[^"\\\n#;])*))?|[#;].*/g

/** The meaning of a letter after a backslash; any other character is literal. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['b', '\b'],
])

/**
 * The value of a setting such as `core.bare` in the text of a git configuration file: the last one
 * given, `true` for a setting without a value, null for none. Included files are ignored.
 */
export function findConfigValue(text: string, path: string): string | null {
  const wanted = keyOf(path)
  let section = ''
  let found: string | null = null
  for (const part of text.replaceAll('\r\n', '\n').matchAll(PARTS)) {
    const [, name, subsection, variable, value] = part
    if (name !== undefined) section = sectionOf(name, subsection)
    if (variable === undefined || `${section}.${variable.toLowerCase()}` !== wanted) continue
    found = value === undefined ? 'true' : valueOf(value)
  }
  return found
}

/**
 * Adds settings at the end of the text of a git configuration file, where they are in force. Each is in a section
 * without a subsection, and has a value that needs no quotes.
 */
export function addConfigValues(
  text: string,
  settings: readonly (readonly [path: string, value: string])[],
): string {
  const lines = settings.map(([path, value]) => {
    const [section, variable] = path.split('.')
    return `[${section}]\n\t${variable} = ${value}\n`
  })
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${before}${lines.join('')}`
}

/** Section and variable names ignore case; subsection names do not. */
function keyOf(path: string): string {
  const [first, last] = [path.indexOf('.'), path.lastIndexOf('.')]
  const [section, variable] = [path.slice(0, first), path.slice(last)]
  return `${section.toLowerCase()}${path.slice(first, last)}${variable.toLowerCase()}`
}

function sectionOf(name: string, subsection: string | undefined): string {
  if (subsection === undefined) return name.toLowerCase()
  return `${name.toLowerCase()}.${subsection.replaceAll(/\\(.)/g, '$1')}`
}

/** A backslash at the end of a line joins the next one to it; quotes keep blanks at the ends. */
function valueOf(written: string): string {
  const line = written.replaceAll(/\\([^])/g, (all, next: string) => (next === '\n' ? '' : all))
  return line.trim().replaceAll(/"|\\(.)/g, (_, escaped: string | undefined) => {
    return escaped === undefined ? '' : (ESCAPES.get(escaped) ?? escaped)
  })
}
