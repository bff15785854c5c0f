create table if not exists product (id bigint auto_increment primary key, name varchar(100));
