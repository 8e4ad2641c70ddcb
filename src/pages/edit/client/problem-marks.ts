import { type Extension, RangeSet, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker } from '@codemirror/view'
import type { FoundProblem } from './check.ts'

interface Marks {
  readonly texts: DecorationSet
  readonly markers: RangeSet<GutterMarker>
}

class ProblemMarker extends GutterMarker {
  readonly #message: string

  constructor(message: string) {
    super()
    this.#message = message
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span')
    element.className = 'problem-marker'
    element.title = this.#message
    return element
  }
}

const NONE: Marks = { texts: Decoration.none, markers: RangeSet.empty }
const setMarks = StateEffect.define<Marks>()

const field = StateField.define<Marks>({
  create: () => NONE,
  update({ texts, markers }, { changes, effects }) {
    for (const effect of effects) if (effect.is(setMarks)) return effect.value
    return { texts: texts.map(changes), markers: markers.map(changes) }
  },
  provide: (self) => EditorView.decorations.from(self, ({ texts }) => texts),
})

/** Underlines the lines with problems, and marks them in the gutter. */
export const PROBLEM_MARKS: Extension = [
  field,
  gutter({ class: 'problem-gutter', markers: ({ state }) => state.field(field).markers }),
]

export function markProblems(view: EditorView, problems: readonly FoundProblem[]): void {
  const { doc } = view.state
  const byLine = new Map<number, string>()
  for (const { typedLine: line, message } of problems) {
    if (line === null || line > doc.lines) continue
    byLine.set(line, [...(byLine.get(line)?.split('\n') ?? []), message].join('\n'))
  }
  const marked = [...byLine].map(([line, message]) => ({ line: doc.line(line), message }))
  const texts = marked.flatMap(({ line: { from, to, text }, message }) => {
    const start = from + (text.length - text.trimStart().length)
    if (start >= to) return []
    return [
      Decoration.mark({ class: 'problem-text', attributes: { title: message } }).range(start, to),
    ]
  })
  const markers = marked.map(({ line: { from }, message }) =>
    new ProblemMarker(message).range(from),
  )
  const marks = { texts: Decoration.set(texts, true), markers: RangeSet.of(markers, true) }
  view.dispatch({ effects: setMarks.of(marks) })
}
