/** The reason why a job cannot be assigned to any agent, as text for its console. */
export class AssignmentRefusal extends Error {}
