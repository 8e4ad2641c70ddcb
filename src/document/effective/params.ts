import type { At, Param, Pipeline } from '../model/model.ts'
import { shorten } from '../text/shown-text.ts'
import type { Finding } from '../model/finding.ts'

/** Replaces `#{name}` by the params of one pipeline, and `##` by `#` (PAR-1, PAR-2). */
export class ParamResolver {
  readonly findings: Finding[] = []
  /** The elements in which something was replaced. */
  readonly replaced: At[] = []
  readonly #pipeline: string
  readonly #values: ReadonlyMap<string, string>

  constructor({ name, params }: Pick<Pipeline, 'name' | 'params'>) {
    this.#pipeline = name
    this.#values = new Map(params.map((param: Param) => [param.name, param.value]))
  }

  /** The text with its params replaced; as it is where they are misused. */
  resolve(text: string, at: At): string {
    return text.includes('#') ? this.#replace(text, at) : text
  }

  resolveOptional(text: string | null, at: At): string | null {
    return text === null ? null : this.resolve(text, at)
  }

  #replace(text: string, at: At): string {
    this.replaced.push(at)
    const pieces: string[] = []
    let from = 0
    for (let hash = text.indexOf('#'); hash >= 0; hash = text.indexOf('#', from)) {
      pieces.push(text.slice(from, hash))
      const use = useAt(text, hash)
      const piece = use.kind === 'param' ? this.#valueOf(use.name, at) : use.literal
      if (piece === null) return this.#refuse(text, at, use)
      pieces.push(piece)
      from = use.end
    }
    return pieces.join('') + text.slice(from)
  }

  #valueOf(name: string, at: At): string {
    const value = this.#values.get(name)
    if (value !== undefined) return value
    const message = `the param "${shorten(name)}" is not defined by the pipeline "${shorten(this.#pipeline)}"`
    this.findings.push({ at, message })
    return `#{${name}}`
  }

  #refuse(text: string, at: At, { end }: Use): string {
    const what = text.startsWith('#{', end)
      ? 'has a param whose name is not closed with "}"'
      : 'has a "#" that neither begins a param #{name} nor is doubled as ##'
    this.findings.push({ at, message: `the text "${shorten(text)}" ${what}` })
    return text
  }
}

type Use =
  | { readonly kind: 'param'; readonly name: string; readonly end: number }
  | { readonly kind: 'text'; readonly literal: string | null; readonly end: number }

function useAt(text: string, hash: number): Use {
  const next = text[hash + 1]
  if (next === '#') return { kind: 'text', literal: '#', end: hash + 2 }
  const close = next === '{' ? text.indexOf('}', hash) : -1
  if (close < 0) return { kind: 'text', literal: null, end: hash }
  return { kind: 'param', name: text.slice(hash + 2, close), end: close + 1 }
}
