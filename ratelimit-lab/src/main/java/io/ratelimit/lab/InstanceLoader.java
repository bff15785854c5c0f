package io.ratelimit.lab;

import io.ratelimit.lab.peer.InstanceTime;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;

/**
 * Loads a limiter for an instance whose clock is wrong: in its own copy of the limiter's library, every {@link
 * System#currentTimeMillis} and {@link java.time.Instant#now()} reads {@link InstanceTime} instead.
 */
final class InstanceLoader extends ClassLoader {

    private static final String PEERS = "io.ratelimit.lab.peer.";
    private static final List<String> COPIED = List.of("io.ratelimit.", "org.redisson.", "io.github.bucket4j.");
    private static final List<String> SHARED =
            List.of("io.ratelimit.lab.", "io.ratelimit.benchmarks.", "io.ratelimit.testing.");
    private static final Set<String> CLOCK_CALLS =
            Set.of("java/lang/System.currentTimeMillis()J", "java/time/Instant.now()Ljava/time/Instant;");
    private static final String TIME = InstanceTime.class.getName().replace('.', '/');

    static {
        registerAsParallelCapable();
    }

    private InstanceLoader() {
        super(InstanceLoader.class.getClassLoader());
    }

    /** The class of the same name, on a clock that is wrong by so much. */
    static Class<? extends Limiter> load(Class<? extends Limiter> limiter, ClockError error) {
        try {
            InstanceLoader loader = new InstanceLoader();
            loader.loadClass(InstanceTime.class.getName())
                    .getMethod("set", long.class, double.class)
                    .invoke(null, error.ahead().toMillis(), error.gain());
            return loader.loadClass(limiter.getName()).asSubclass(Limiter.class);
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException("cannot load '%s' again".formatted(limiter.getName()), failed);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isCopied(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : copy(name);
        }
    }

    private static boolean isCopied(String name) {
        boolean shared = SHARED.stream().anyMatch(name::startsWith) && !name.startsWith(PEERS);
        return !shared && COPIED.stream().anyMatch(name::startsWith);
    }

    private Class<?> copy(String name) throws ClassNotFoundException {
        try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = name.equals(InstanceTime.class.getName()) ? in.readAllBytes() : onItsClock(in);
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    private static byte[] onItsClock(InputStream in) throws IOException {
        ClassReader reader = new ClassReader(in);
        ClassWriter writer = new ClassWriter(0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM10_EXPERIMENTAL, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String method, String descriptor, String signature, String[] exceptions) {
                        return new ClockCalls(super.visitMethod(access, method, descriptor, signature, exceptions));
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static final class ClockCalls extends MethodVisitor {

        private ClockCalls(MethodVisitor next) {
            super(Opcodes.ASM10_EXPERIMENTAL, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            boolean readsClock = CLOCK_CALLS.contains(owner + '.' + name + descriptor);
            super.visitMethodInsn(opcode, readsClock ? TIME : owner, name, descriptor, isInterface);
        }
    }
}
