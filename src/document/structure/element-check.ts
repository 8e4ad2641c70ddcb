import type { Findings } from './findings.ts'
import type { Shape } from './vocabulary.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** One element on its way through the checks. */
export interface ElementCheck {
  readonly element: XmlElement
  readonly children: readonly XmlElement[]
  readonly shape: Shape
  /** What the element may be at other versions, to say so instead of calling a name unknown. */
  readonly elsewhere: Shape
  /** Whether the order of children counts here. */
  readonly ordered: boolean
  readonly findings: Findings
}
