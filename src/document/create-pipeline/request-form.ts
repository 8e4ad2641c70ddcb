import type { Problem } from '../../core/problem.ts'
import { isXmlText } from '../edit/xml-escape.ts'
import { shorten } from '../text/shown-text.ts'
import { addToGroup } from '../../lib/grouping.ts'

/** The parameters of a request, and what is found wrong with them. */
export class RequestForm {
  readonly #values = new Map<string, string[]>()
  readonly #problems: Problem[] = []

  constructor(entries: Iterable<readonly [name: string, value: string]>) {
    for (const [name, value] of entries) addToGroup(this.#values, name, value)
  }

  get problems(): readonly Problem[] {
    return this.#problems
  }

  refuse(name: string, message: string): void {
    this.#problems.push({ message: `the parameter "${name}" ${message}`, path: name })
  }

  /** Every value of a parameter, in the order given. */
  all(name: string): readonly string[] {
    const values = this.#values.get(name) ?? []
    if (!values.every(isXmlText)) this.refuse(name, 'holds a control character')
    return values
  }

  /** The value as given, the empty one included; null when the parameter is absent. */
  exact(name: string): string | null {
    const values = this.all(name)
    if (values.length > 1) this.refuse(name, 'is given more than once')
    return values[0] ?? null
  }

  /** The value, or null when it is absent or blank. */
  optional(name: string): string | null {
    const value = this.exact(name)
    return value === null || value.trim() === '' ? null : value
  }

  /** The value of a parameter that has to be there; `reason` tells what asks for it. */
  required(name: string, reason: string): string {
    const value = this.optional(name)
    if (value === null) this.refuse(name, `is required${reason}`)
    return value ?? ''
  }

  /** One of a few words, or the first of them when the parameter is absent or blank. */
  choice<Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word | null {
    return this.#word(name, this.optional(name), words)
  }

  /** The same for each value of a parameter that may repeat. */
  choices<Word extends string>(
    name: string,
    words: readonly [Word, ...Word[]],
  ): readonly (Word | null)[] {
    return this.all(name).map((value) => this.#word(name, value, words))
  }

  /** Refuses each parameter that is there but has no meaning here. */
  exclude(names: readonly string[], reason: string): void {
    const given = names.filter((name) =>
      (this.#values.get(name) ?? []).some((value) => value.trim() !== ''),
    )
    for (const name of given) this.refuse(name, reason)
  }

  #word<Word extends string>(
    name: string,
    given: string | null,
    words: readonly [Word, ...Word[]],
  ): Word | null {
    const value = given === null || given.trim() === '' ? words[0] : given
    const word = words.find((candidate) => candidate === value) ?? null
    if (word === null)
      this.refuse(name, `is "${shorten(value)}" and must be one of ${words.join(', ')}`)
    return word
  }
}
