/** The texts of a thing of a list in one column. */
type Texts<Thing> = (thing: Thing) => readonly string[]

const TERM = /(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gi

/** Filters a list by a text such as `status:idle resource:docker build`. */
export class ListFilter<Thing> {
  readonly #columns: ReadonlyMap<string, Texts<Thing>>
  readonly #plain: readonly Texts<Thing>[]

  /**
   * @param columns The columns by their names in a filter.
   * @param otherwise Other names of columns.
   * @param plain The columns that a text without a name is looked for in; all unless given.
   */
  constructor(
    columns: Readonly<Record<string, Texts<Thing>>>,
    otherwise: Readonly<Record<string, string>> = {},
    plain: readonly string[] = Object.keys(columns),
  ) {
    const others = Object.entries(otherwise).map(
      ([name, column]) => [name, columns[column]] as const,
    )
    this.#columns = new Map(
      [...Object.entries(columns), ...others].flatMap(([name, texts]) =>
        texts === undefined ? [] : [[name, texts] as const],
      ),
    )
    this.#plain = plain.flatMap((name) => columns[name] ?? [])
  }

  /**
   * The test for columns with a text each, and texts for any column: all must hold. A text matches
   * anywhere in a value and ignores case.
   */
  parse(filter: string): (thing: Thing) => boolean {
    const terms = Array.from(filter.matchAll(TERM), ([whole, prefix = '', quoted, word]) => {
      const column = this.#columns.get(prefix.toLowerCase())
      const text = column === undefined && prefix !== '' ? whole : (quoted ?? word ?? '')
      return { columns: column ? [column] : this.#plain, text: text.toLowerCase() }
    })
    return (thing) =>
      terms.every(({ columns, text }) =>
        columns.some((texts) => texts(thing).some((value) => value.toLowerCase().includes(text))),
      )
  }
}
