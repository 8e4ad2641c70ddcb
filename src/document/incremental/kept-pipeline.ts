import { MemberText, noteMemberText, type MemberFacts } from '../model/member-text.ts'
import type { Pipeline, Stage } from '../model/model.ts'
import { withUnreadJobs } from '../model/unread-jobs.ts'
import { judgeAlone } from '../rules/rules.ts'
import { hasPlainJobs } from '../unsupported/unsupported-in-pipeline.ts'
import { childElements } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { ReadPart } from './member.ts'

/** The part of a pipeline that is kept once it was read: its jobs are a text, with all that can be said of them. */
export function keptPipeline(pipeline: Pipeline, read: ReadPart): Pipeline {
  const facts = read.known ?? factsOf(pipeline, read)
  const text = new MemberText(read.text, facts, read.edition === 'later')
  const written = childElements(read.element).filter(({ name }) => name === 'stage')
  const stages = pipeline.stages.map((stage, n) => withoutJobs(stage, written[n], read))
  const kept = { ...pipeline, stages }
  noteMemberText(kept, text)
  return kept
}

/** The facts about a pipeline, while all of it is there. */
function factsOf(pipeline: Pipeline, { parts, hasPlainSecrets, edition }: ReadPart): MemberFacts {
  const verdict = judgeAlone(pipeline, edition === 'later')
  return { ...verdict, parts, hasPlainSecrets, hasPlainJobs: hasPlainJobs(pipeline) }
}

function withoutJobs(
  stage: Stage,
  written: XmlElement | undefined,
  { text, first }: Pick<ReadPart, 'text' | 'first'>,
): Stage {
  const jobs = written && childElements(written).find(({ name }) => name === 'jobs')
  return jobs ? withUnreadJobs(stage, { text, span: jobs.span, first: first + jobs.number }) : stage
}
