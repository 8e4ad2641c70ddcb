import type { Findings } from './findings.ts'
import type { Shape } from './vocabulary.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** One element to be checked, with its context. */
export interface ElementCheck {
  readonly element: XmlElement
  readonly children: readonly XmlElement[]
  readonly shape: Shape
  /** The shape of the element in other schema versions, for a better message than an unknown name. */
  readonly elsewhere: Shape
  /** Whether the order of children counts here. */
  readonly ordered: boolean
  readonly findings: Findings
}
