/// Does the same with each input, on all cores; results in the order of the inputs.
func concurrently<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], _ work: @escaping @Sendable (Input) -> Output
) async -> [Output] {
    await withTaskGroup { group in
        for (number, input) in inputs.enumerated() { group.addTask { (number, work(input)) } }
        var outputs: [Int: Output] = [:]
        for await (number, output) in group { outputs[number] = output }
        return inputs.indices.map { outputs[$0]! }
    }
}
